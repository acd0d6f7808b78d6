/* Documents of any shape are looked into. */
/* eslint-disable @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { startService } from '../support/service.js';
import { KNOWN, withValues, type Yaml, yaml, yamls } from './deployed-files.js';

const manifests = readdirSync('deploy/kubernetes').flatMap((file) => yamls(`kubernetes/${file}`));
const manifest = (kind: string): Yaml => manifests.find((candidate) => candidate.kind === kind)!;
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
    const keys = names(manifest('Secret').stringData);
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

  it('lists every manifest but the example', () => {
    const { resources } = yaml('kubernetes/kustomization.yaml');
    const files = readdirSync('deploy/kubernetes').filter((file) => !/^(kustomization|secret\.example)/.test(file));
    expect([...resources].sort()).toEqual(files.sort());
  });
});
