/* Documents of any shape are looked into. */
/* eslint-disable @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { KNOWN, withValues, type Yaml, yaml } from './deployed-files.js';

const names = (environment: Yaml): string[] => Object.keys(environment);

describe('deploy/compose.yaml', () => {
  const compose = yaml('compose.yaml');
  const { services } = compose as { services: Record<string, Yaml> };

  it.each(['one', 'two', 'migrate'])('gives %s settings that the service knows and accepts', (name) => {
    const { environment } = services[name]!;
    for (const setting of names(environment)) expect(KNOWN).toContain(setting);
    expect(() => readSettings(withValues(environment))).not.toThrow();
  });

  it('names only services, volumes and secrets that it has', () => {
    for (const service of Object.values(services)) {
      for (const other of names(service.depends_on ?? {})) expect(services).toHaveProperty(other);
      for (const secret of service.secrets ?? []) expect(compose.secrets).toHaveProperty(secret);
      const shared = /^service:(.*)$/.exec(service.network_mode ?? '')?.[1];
      if (shared) expect(services).toHaveProperty(shared);
      for (const volume of service.volumes ?? [])
        if (!volume.startsWith('.')) expect(compose.volumes).toHaveProperty(volume.split(':')[0]);
    }
  });

  it('opens ports on loopback only', () => {
    for (const { ports = [] } of Object.values(services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it('runs commands that the image has', () => {
    expect(services.migrate!.command).toEqual(['node', 'dist/src/commands/cli.js', 'migrate']);
    expect(readdirSync('dist/src/commands')).toContain('cli.js');
  });

  it('gets its secrets from deploy/make-secrets.sh, once', () => {
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    execFileSync('deploy/make-secrets.sh', [folder]);
    const read = () => names(compose.secrets).map((name) => readFileSync(join(folder, name), 'utf8'));
    const first = read();
    for (const secret of first) expect(secret.trim().length).toBeGreaterThanOrEqual(32);
    execFileSync('deploy/make-secrets.sh', [folder]);
    expect(read()).toEqual(first);
    const files = Object.entries(services.one!.environment as Yaml).map(([name, value]): [string, string] => [
      name,
      String(value).replace('/run/secrets', folder),
    ]);
    const settings = readSettings(Object.fromEntries(files));
    expect(settings.databaseUrl).toMatch(/^mysql:\/\/reading_list:[0-9a-f]{64}@mysql:3306\/reading_list$/);
    rmSync(folder, { recursive: true });
  });
});
