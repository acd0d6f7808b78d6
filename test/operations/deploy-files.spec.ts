import { copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { createCertificate } from '../support/servers/certificate.js';
import { findProgram, runCommand } from '../support/servers/command.js';
import { ensureDebianPackages } from '../support/servers/packages.js';
import { KNOWN, text, withValues, type Yaml, yaml } from './deployed-files.js';

const folder = mkdtempSync(join(tmpdir(), 'reading-list-deploy-'));
afterAll(() => rmSync(folder, { recursive: true }));

const WAIT_MAX_SECONDS = readSettings({ NODE_ENV: 'test' }).waitMaxSeconds;

describe('deploy/systemd', () => {
  const UNITS = ['reading-list', 'reading-list-migrate'];
  const unit = (name: string) => text(`systemd/${name}.service`);
  /** The values of a unit's option. */
  const values = (name: string, option: string) =>
    [...unit(name).matchAll(new RegExp(`^${option}=(.*)$`, 'gm'))].map(([, value]) => value!);

  it.each(UNITS)('%s.service exposes little of the system, by its own measure', async (name) => {
    await ensureDebianPackages({ 'systemd-analyze': 'systemd' });
    const path = `deploy/systemd/${name}.service`;
    const output = await runCommand('systemd-analyze', ['security', '--offline=true', path]);
    const score = Number(/exposure level for .*: ([\d.]+)/.exec(output)?.[1]);
    expect(score).toBeLessThanOrEqual(1.1);
    expect(text('../docs/operations.md')).toContain(`exposure level of ${score}`);
  });

  it.each(UNITS)('%s.service has only options that systemd knows', async (name) => {
    await ensureDebianPackages({ 'systemd-analyze': 'systemd' });
    const installed = unit(name).replace(/^(User|WorkingDirectory|EnvironmentFile|ExecStart)=.*$/gm, (line, option) =>
      option === 'ExecStart' ? 'ExecStart=/bin/true' : '',
    );
    writeFileSync(join(folder, `${name}.service`), installed);
    expect(await runCommand('systemd-analyze', ['verify', '--man=no', join(folder, `${name}.service`)])).toBe('');
  });

  it.each(UNITS)('%s.service runs what is built, in production whatever the file of settings says', (name) => {
    const [program, ...more] = values(name, 'ExecStart');
    expect(more).toEqual([]);
    const [, entry] = /^\/usr\/bin\/env NODE_ENV=production \/usr\/bin\/node (?:--\S+ )*dist\/(\S+)\.js$/.exec(
      program!,
    )!;
    expect(existsSync(`${entry}.ts`)).toBe(true);
    // Lines of EnvironmentFile= win over those of Environment=: only what the operator may change can stand there.
    expect(values(name, 'Environment')).toEqual(['DATABASE_URL=sqlite:/var/lib/reading-list/reading-list.sqlite']);
    expect(values(name, 'EnvironmentFile')).toEqual(['/etc/reading-list.env']);
  });

  it('runs the service with the flags of the image and of npm start', () => {
    const flags = / (--\S+) dist\/src\/main\.js/.exec(values('reading-list', 'ExecStart')[0]!)![1]!;
    expect(text('../package.json')).toContain(`"exec node ${flags} dist/src/main.js"`);
    expect(text('../Dockerfile')).toContain(`"node", "${flags}", "dist/src/main.js"`);
  });

  it('gives both units the same settings, user, folders and restrictions', () => {
    const shared = (name: string) =>
      [
        ...unit(name).matchAll(
          /^(?!#|Description|Documentation|After|Type|ExecStart|Timeout|Restart|Log|WantedBy)\w+=.*$/gm,
        ),
      ]
        .map(([line]) => line)
        .sort();
    expect(shared('reading-list-migrate')).toEqual(shared('reading-list'));
  });

  it('waits longer than the service takes to end', () => {
    expect(Number(values('reading-list', 'TimeoutStopSec')[0])).toBeGreaterThan(10);
  });
});

describe('deploy/proxies', () => {
  it('nginx accepts its configuration', async () => {
    await ensureDebianPackages({ nginx: 'nginx-light' });
    const { bundle } = await createCertificate(folder);
    const site = text('proxies/nginx.conf')
      .replace('/etc/ssl/reading-list.pem', bundle)
      .replace('/etc/ssl/private/reading-list.key', bundle);
    writeFileSync(join(folder, 'site.conf'), site);
    const main = `pid ${folder}/nginx.pid; error_log stderr; events {} http { include ${folder}/site.conf; }`;
    writeFileSync(join(folder, 'nginx.conf'), main);
    const output = await runCommand(findProgram('nginx')!, ['-t', '-c', join(folder, 'nginx.conf')]);
    expect(output).toContain('test is successful');
  });

  it('Caddy accepts its configuration', async () => {
    await ensureDebianPackages({ caddy: 'caddy' });
    copyFileSync('deploy/proxies/Caddyfile', join(folder, 'Caddyfile'));
    const words = ['validate', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')];
    const output = await runCommand(findProgram('caddy')!, words, { ...process.env, HOME: folder });
    expect(output).toContain('Valid configuration');
  });

  it.each([
    ['proxies/nginx.conf', /proxy_read_timeout (\d+)s/],
    ['proxies/Caddyfile', /response_header_timeout (\d+)s/],
  ])('%s waits longer than a poll may', (path, pattern) => {
    expect(Number(pattern.exec(text(path))?.[1])).toBeGreaterThan(WAIT_MAX_SECONDS + 10);
  });
});

describe('deploy/compose.home.yaml', () => {
  const compose = yaml('compose.home.yaml');
  const services = compose.services as Record<string, Yaml>;

  it('needs nothing but secrets: no identity provider', () => {
    const environment = services['reading-list']!.environment as Yaml;
    for (const name of Object.keys(environment)) expect(KNOWN).toContain(name);
    const PUBLIC_URL = String(environment.PUBLIC_URL).replace(/\$\{DOMAIN:[^}]*\}/, 'list.example.com');
    const settings = readSettings(withValues({ ...environment, PUBLIC_URL }));
    expect(settings.publicUrl).toBe('https://list.example.com');
    expect(settings.trustProxy).toBe('uniquelocal');
  });

  it('keeps the list and the certificates in volumes, and bounds all logs', () => {
    const volumesOf = (name: string) => services[name]!.volumes as string[];
    expect(volumesOf('reading-list')).toEqual(['list:/app/var']);
    expect(volumesOf('migrate')).toEqual(['list:/app/var']);
    expect(volumesOf('caddy')).toEqual(['certificates:/data']);
    expect(Object.keys(compose.volumes as Yaml)).toEqual(['list', 'certificates']);
    for (const { logging } of Object.values(services))
      expect((logging as { options: unknown }).options).toHaveProperty('max-size');
  });

  it('starts the resolver only where it is asked for, as a device of the service', () => {
    const { profiles, command, build, secrets } = services.resolver!;
    expect(profiles).toEqual(['resolver']);
    expect(text('../Dockerfile')).toContain(` AS ${(build as { target: string }).target}\n`);
    expect(command).toEqual(['--url', 'http://reading-list:8000', '--token-file', '/run/secrets/resolver_tokens']);
    for (const name of secrets as string[]) expect(compose.secrets).toHaveProperty(name);
  });

  it('lets only Caddy out, which passes everything on to the service', () => {
    expect(Object.keys(services).filter((name) => services[name]!.ports)).toEqual(['caddy']);
    expect(services.caddy!.command).toEqual(
      ['caddy', 'reverse-proxy', '--from', '${DOMAIN}', '--to', 'reading-list:8000'], // Compose fills it in.
    );
  });
});

describe('deploy/compose.yaml', () => {
  const services = yaml('compose.yaml').services as Record<string, Yaml>;

  it('lets no service lose its network when another one restarts', () => {
    const holders = new Set(
      Object.values(services).flatMap(({ network_mode }) => /^service:(.*)$/.exec(String(network_mode))?.[1] ?? []),
    );
    expect([...holders]).toEqual(['network']);
    expect(services.network!.image).toContain('pause');
  });

  it('bounds the logs of what logs every request', () => {
    for (const name of ['one', 'two', 'haproxy'])
      expect((services[name]!.logging as { options: unknown }).options).toHaveProperty('max-size');
  });
});
