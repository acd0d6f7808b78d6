/* Documents of any shape are looked into. */
/* eslint-disable @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dump } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { startService } from '../support/service.js';
import { KNOWN, withValues, type Yaml, yaml } from './deployed-files.js';
import { KUBERNETES, KubernetesSchema, violationsForOperator } from './kubernetes-schema.js';
import { kustomize } from './kustomize.js';

const COMPONENTS = readdirSync('deploy/kubernetes/components');
const SECRET = yaml('kubernetes/secret.example.yaml');
const folder = mkdtempSync(join(tmpdir(), 'reading-list-kubernetes-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The manifests as they are, and with all components. */
let manifests: Yaml[];
let complete: Yaml[];
beforeAll(async () => {
  manifests = await kustomize('deploy/kubernetes');
  complete = await withComponents(COMPONENTS);
}, 120_000);

/** What a copy makes whose `kustomization.yaml` was changed. */
async function changed(name: string, change: (kustomization: Yaml) => void): Promise<Yaml[]> {
  const copy = join(folder, name);
  cpSync('deploy/kubernetes', copy, { recursive: true });
  const kustomization = yaml('kubernetes/kustomization.yaml');
  change(kustomization);
  writeFileSync(join(copy, 'kustomization.yaml'), dump(kustomization));
  return kustomize(copy);
}

const withComponents = (names: string[]): Promise<Yaml[]> =>
  changed(names.join('-'), (kustomization) => (kustomization.components = names.map((name) => `components/${name}`)));

const found = (among: Yaml[], kind: string, name?: string): Yaml =>
  among.find((candidate) => candidate.kind === kind && (!name || candidate.metadata.name === name))!;
const manifest = (kind: string): Yaml => found(manifests, kind);
const names = (environment: Yaml): string[] => Object.keys(environment);

describe('deploy/kubernetes', () => {
  const podOf = (kind: string): Yaml => manifest(kind).spec.template.spec;

  it('gives the service settings that it knows and accepts', () => {
    const { data } = manifest('ConfigMap');
    for (const setting of names(data)) expect(KNOWN).toContain(setting);
    expect(() => readSettings(withValues(data))).not.toThrow();
  });

  it('has every file that a setting names in the secret', () => {
    const files = Object.values(manifest('ConfigMap').data as Record<string, string>).filter((value) =>
      value.startsWith('/run/'),
    );
    expect(files).toHaveLength(4);
    for (const kind of ['Deployment', 'Job']) {
      const [{ mountPath }] = podOf(kind).containers[0].volumeMounts;
      for (const file of files) expect(file.startsWith(`${mountPath}/`)).toBe(true);
    }
    const keys = names(SECRET.stringData);
    expect(files.map((file) => file.split('/').at(-1)).sort()).toEqual(keys.sort());
  });

  it.each(['Deployment', 'Job'])('lets a %s do nothing it does not need', (kind) => {
    const pod = podOf(kind);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const { securityContext, resources } of pod.containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources.requests).toHaveProperty('memory');
      expect(resources.limits).toHaveProperty('memory');
    }
  });

  it('keeps enough pods, and gives them time to leave', () => {
    const { spec } = manifest('Deployment');
    expect(spec.replicas).toBeGreaterThan(manifest('PodDisruptionBudget').spec.minAvailable);
    expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(13);
    expect(manifest('Service').spec.selector).toEqual(spec.selector.matchLabels);
    expect(manifest('PodDisruptionBudget').spec.selector).toEqual(spec.selector);
  });

  it('asks paths and ports that the service has', async () => {
    const service = await startService({ DATABASE_URL: 'sqlite::memory:' });
    const [{ startupProbe, readinessProbe, livenessProbe, ports }] = podOf('Deployment').containers;
    for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
      expect((await fetch(service.url + probe.httpGet.path)).status).toBe(200);
      expect(ports.map(({ name }: Yaml) => name)).toContain(probe.httpGet.port);
    }
    const { PORT, METRICS_PORT } = manifest('ConfigMap').data;
    expect(ports.map(({ containerPort }: Yaml) => String(containerPort))).toEqual([PORT, METRICS_PORT]);
    await service.kill();
  });

  it('requests and allows the memory that the table of sizes explains', () => {
    const { requests, limits } = podOf('Deployment').containers[0].resources;
    const page = readFileSync('docs/operations.md', 'utf8').replace(/\s+/g, ' ');
    expect(page).toContain(`requests ${requests.memory} of memory`);
    expect(page).toContain(`allows ${limits.memory},`);
  });

  it('gives a new name to changed settings, so that pods with the old ones are replaced', async () => {
    const other = await changed('setting', ({ configMapGenerator }) =>
      configMapGenerator[0].literals.push('LOG_LEVEL=warn'),
    );
    expect(found(other, 'ConfigMap').data).toEqual({ ...manifest('ConfigMap').data, LOG_LEVEL: 'warn' });
    for (const kind of ['Deployment', 'Job']) {
      const nameIn = (all: Yaml[]) => found(all, kind).spec.template.spec.containers[0].envFrom[0].configMapRef.name;
      expect(nameIn(manifests)).toBe(manifest('ConfigMap').metadata.name);
      expect(nameIn(other)).toBe(found(other, 'ConfigMap').metadata.name);
      expect(nameIn(other)).not.toBe(nameIn(manifests));
    }
  });
});

describe.each(Object.keys(KUBERNETES) as (keyof typeof KUBERNETES)[])('Kubernetes %s', (version) => {
  let schema: KubernetesSchema;
  beforeAll(async () => {
    schema = await KubernetesSchema.of(version);
  }, 120_000);

  it('takes all manifests', () => {
    const own = complete.filter(({ apiVersion }) => !String(apiVersion).startsWith('monitoring.coreos.com/'));
    expect(own.length).toBeGreaterThan(9);
    for (const each of [...own, SECRET]) expect(schema.violations(each)).toEqual([]);
  });

  it('would refuse what is misspelt, missing or of another type', () => {
    const { metadata, spec, ...rest } = structuredClone(manifest('Deployment'));
    delete spec.template.spec.containers[0].name;
    spec.template.spec.terminationGracePeriod = 20;
    spec.replicas = 'three';
    expect(schema.violations({ metadata, spec, ...rest })).toEqual([
      'Deployment.spec.replicas: not a number',
      'Deployment.spec.template.spec.containers.0.name: missing',
      'Deployment.spec.template.spec.terminationGracePeriod: unknown',
    ]);
  });
});

it('the Prometheus operator takes what is for it, and would refuse another', async () => {
  const monitor = found(complete, 'ServiceMonitor');
  for (const each of [monitor, found(complete, 'PrometheusRule')]) expect(await violationsForOperator(each)).toBe('');
  expect(await violationsForOperator({ ...monitor, spec: {} })).toContain('must have required property endpoints');
}, 120_000);

describe('the components', () => {
  it.each(COMPONENTS)('%s can be added alone', async (name) => {
    expect((await withComponents([name])).length).toBeGreaterThanOrEqual(manifests.length);
  });

  it('autoscaling keeps at least as many pods as there are without it, and is alone in that', () => {
    const { spec } = found(complete, 'HorizontalPodAutoscaler');
    expect(found(complete, 'Deployment').spec).not.toHaveProperty('replicas');
    expect(spec.minReplicas).toBe(manifest('Deployment').spec.replicas);
    expect(spec.scaleTargetRef.name).toBe(manifest('Deployment').metadata.name);
  });

  it('the ingress waits longer than a poll may, takes bodies that the service takes, and knows its service', () => {
    const { metadata, spec } = found(complete, 'Ingress');
    const { waitMaxSeconds, maxBodyBytes } = readSettings({ NODE_ENV: 'test' });
    const of = (name: string): string => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];
    expect(Number(of('proxy-read-timeout'))).toBeGreaterThan(waitMaxSeconds + 10);
    expect(Number.parseInt(of('proxy-body-size')) * 2 ** 20).toBeGreaterThan(maxBodyBytes);
    const { service } = spec.rules[0].http.paths[0].backend;
    const { metadata: known, spec: served } = found(complete, 'Service', service.name);
    expect(known.name).toBe('reading-list');
    expect(served.ports.map(({ name }: Yaml) => name)).toContain(service.port.name);
  });

  it('monitoring scrapes the port of the metrics, and has the alerts of deploy/prometheus', async () => {
    const { selector, endpoints } = found(complete, 'ServiceMonitor').spec;
    const service = found(complete, 'Service', 'reading-list-metrics');
    expect(service.metadata.labels).toMatchObject(selector.matchLabels);
    expect(service.spec.ports.map(({ name }: Yaml) => name)).toEqual([endpoints[0].port]);
    expect(service.spec.selector).toEqual(manifest('Deployment').spec.selector.matchLabels);
    const rule = `# The rules of deploy/prometheus/alerts.yaml for the Prometheus operator: npx vitest run -u --project light test/operations/kubernetes.spec.ts
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: reading-list
spec:
${readFileSync('deploy/prometheus/alerts.yaml', 'utf8')
  .replace(/^#.*\n/gm, '')
  .replace(/^(?=.)/gm, '  ')}`;
    await expect(rule).toMatchFileSnapshot('../../deploy/kubernetes/components/monitoring/alerts.yaml');
  });

  it('egress lets all pods reach the database, Redis and the provider of the settings', () => {
    const { podSelector, egress } = found(complete, 'NetworkPolicy', 'reading-list-egress').spec;
    for (const kind of ['Deployment', 'Job'])
      expect(podSelector.matchExpressions[0].values).toContain(manifest(kind).spec.template.metadata.labels.app);
    const ports = egress.flatMap(({ ports }: Yaml) => ports.map(({ port }: Yaml) => port));
    const { REDIS_URL, OAUTH_URI } = manifest('ConfigMap').data;
    const database = new URL(SECRET.stringData.database_url);
    expect(new URL(OAUTH_URI).protocol).toBe('https:');
    expect(ports).toEqual(expect.arrayContaining([53, 443, Number(database.port), Number(new URL(REDIS_URL).port)]));
  });
});
