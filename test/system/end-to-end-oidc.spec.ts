import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { confirmCode, DEVICE_CLIENT, type OidcIssuer, ROBOTS, startOidcIssuer } from '../e2e/oidc-issuer.js';
import { runE2e } from '../e2e/run-e2e.js';
import { mustRunHere } from '../operations/run-command.js';
import { type Service, startService } from '../support/service.js';

const folder = mkdtempSync(join(tmpdir(), 'reading-list-oidc-'));
let issuer: OidcIssuer;
let service: Service;
let settings: Record<string, string>;

beforeAll(async () => {
  issuer = await startOidcIssuer();
  settings = {
    DATABASE_URL: `sqlite:${join(folder, 'list.sqlite')}`,
    OAUTH_URI: issuer.issuer,
    BASIC_AUTH_ENABLED: 'false',
  };
  service = await startService({ ...settings, MIGRATE_ON_START: 'true' });
});
afterAll(async () => {
  await service?.kill();
  await issuer.close();
  rmSync(folder, { recursive: true, force: true });
});

const args = () => ['--url', service.url, '--oidc', issuer.issuer, '--max-rate', '1000', '--html', report];
const report = join(folder, 'report.html');

/** Nothing that gives access is in what the run wrote. */
function expectNoSecrets(output: string): void {
  const written = output + readFileSync(report, 'utf8');
  expect(written).not.toMatch(/eyJ[\w-]+\./);
  for (const { secret } of ROBOTS) expect(written).not.toContain(secret);
}

const countUsers = async () =>
  (await mustRunHere(['user', 'list', '--json'], settings)).split('\n').filter((line) => line !== '').length;

it('two clients are two users by their credentials', { timeout: 120_000 }, async () => {
  const environment = {
    E2E_OIDC_CLIENT_ID: ROBOTS.map(({ id }) => id).join(),
    E2E_OIDC_CLIENT_SECRET: ROBOTS.map(({ secret }) => secret).join(),
  };
  const before = await countUsers();
  const { status, output } = await runE2e([...args(), '--only', 'isolation'], environment);
  expect(output).not.toContain('FAILED');
  expect(output).toMatch(/^[1-9]\d* passed, 0 failed/m);
  expect(status).toBe(0);
  expectNoSecrets(output);
  expect(await countUsers()).toBe(before + 2);
});

/** Runs the command while people confirm the codes that it shows. */
function runWithPeople(names: string[]) {
  const shown = new Set<string>();
  const confirmations: Promise<void>[] = [];
  const run = runE2e([...args(), '--only', 'isolation'], { E2E_OIDC_CLIENT_ID: DEVICE_CLIENT }, (output) => {
    for (const [, page, code] of output.matchAll(/^test user \d: sign in at (\S+) with the code (\S+)\n/gm)) {
      if (shown.has(code!)) continue;
      shown.add(code!);
      confirmations.push(confirmCode(page!, code!, names[shown.size - 1]!));
    }
  });
  return run.then(async (result) => {
    await Promise.all(confirmations);
    return result;
  });
}

it('two people sign in by the device flow', { timeout: 120_000 }, async () => {
  const before = await countUsers();
  const { status, output } = await runWithPeople(['alice', 'bob']);
  expect(output).not.toContain('FAILED');
  expect(output).toMatch(/^[1-9]\d* passed, 0 failed/m);
  expect(status).toBe(0);
  expectNoSecrets(output);
  expect(await countUsers()).toBe(before + 2);
});

it('one person who signs in twice is not two users', { timeout: 120_000 }, async () => {
  const { status, output } = await runWithPeople(['alice', 'alice']);
  expect(output).toContain('token 1 and token 2 are of one user; give those of different users');
  expect(status).toBe(2);
});

it.each([
  ['no client', {}, 'the variable E2E_OIDC_CLIENT_ID is missing'],
  [
    'one client',
    { E2E_OIDC_CLIENT_ID: ROBOTS[0]!.id, E2E_OIDC_CLIENT_SECRET: ROBOTS[0]!.secret },
    'at least two test users are needed',
  ],
  [
    'a wrong secret',
    { E2E_OIDC_CLIENT_ID: ROBOTS.map(({ id }) => id).join(), E2E_OIDC_CLIENT_SECRET: 'wrong-1,wrong-2' },
    '--oidc: ',
  ],
  [
    'fewer secrets than clients',
    { E2E_OIDC_CLIENT_ID: ROBOTS.map(({ id }) => id).join(), E2E_OIDC_CLIENT_SECRET: ROBOTS[0]!.secret },
    'E2E_OIDC_CLIENT_SECRET has fewer secrets',
  ],
])('%s is refused in words, without a secret', async (_, environment: Record<string, string>, words) => {
  const { status, output } = await runE2e(args(), environment);
  expect(status).toBe(2);
  expect(output).toContain(words);
  for (const secret of environment.E2E_OIDC_CLIENT_SECRET?.split(',') ?? []) expect(output).not.toContain(secret);
});
