import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileForDevelopment } from '../support/compile-for-development.js';
import { findFreePort } from '../support/servers/free-port.js';
import { startService } from '../support/service.js';

describe('the images', () => {
  it('of the service builds, starts, is healthy and ends, step by step in an empty folder', () => {
    const output = execFileSync(process.execPath, ['scripts/replay-image.mjs'], { encoding: 'utf8' });
    expect(output).toContain('ok: RUN npm run build:service && npm prune --omit=dev');
    expect(output).toContain('ok: it starts, is healthy, knows its commit, and has its commands');
    expect(output).toContain('ok: the resolver has all that it imports');
    expect(output).toContain('ok: the end-to-end suites run against it');
    expect(output).toContain('ok: SIGTERM ends it with status 0');
  }, 300_000);

  it('of the identity provider builds and starts, step by step in an empty folder', () => {
    const words = ['scripts/replay-image.mjs', 'deploy/identity-provider.Dockerfile'];
    const output = execFileSync(process.execPath, words, { encoding: 'utf8' });
    expect(output).toContain('ok: RUN npm run tsc -- --build tsconfig.dev.json');
    expect(output).toContain('ok: it starts and issues tokens');
  }, 300_000);

  it('of the identity provider gives tokens that the service accepts', async () => {
    await compileForDevelopment();
    const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
    execFileSync('deploy/make-secrets.sh', [folder]);
    const port = await findFreePort();
    const env = { PATH: process.env.PATH, CLIENT_SECRET_FILE: join(folder, 'oauth_client_secret'), PORT: String(port) };
    const provider = spawn(process.execPath, ['deploy/identity-provider.mjs'], { env, stdio: 'pipe' });
    await once(provider.stdout, 'data');
    const service = await startService({
      DATABASE_URL: 'sqlite::memory:',
      OAUTH_URI: `http://127.0.0.1:${port}`,
      OAUTH_CLIENT_SECRET_FILE: join(folder, 'oauth_client_secret'),
    });
    const token = (await (await fetch(`http://127.0.0.1:${port}/token-for/alice`)).text()).trim();
    const answer = await fetch(`${service.url}/v2/articles`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    await service.kill();
    provider.kill();
    rmSync(folder, { recursive: true });
  });

  it.each(['Dockerfile', 'deploy/identity-provider.Dockerfile'])(
    '%s copies only what its ignore file lets through',
    (path) => {
      const ignore = path === 'Dockerfile' ? '.dockerignore' : `${path}.dockerignore`;
      const allowed = readFileSync(ignore, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('!'))
        .map((line) => line.slice(1));
      const copied = readFileSync(path, 'utf8').matchAll(/^COPY (?!--from)(.*)$/gm);
      for (const [, value] of copied)
        for (const source of value!.split(' ').slice(0, -1))
          expect(
            allowed.some((entry) => source === entry || source.startsWith(`${entry}/`)),
            source,
          ).toBe(true);
    },
  );
});
