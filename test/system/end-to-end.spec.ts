import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { launchChromium } from '../auth/chromium.js';
import { type Fault, startBrokenProxy, without } from '../e2e/broken-proxy.js';
import { runE2e } from '../e2e/run-e2e.js';
import { type Certificate, createCertificate } from '../support/servers/certificate.js';
import { findFreePort } from '../support/servers/free-port.js';
import { type Haproxy, startHaproxy } from '../support/servers/haproxy.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startRedis } from '../support/servers/redis.js';
import { type Service, startService } from '../support/service.js';

const USERS = 6;
const folder = mkdtempSync(join(tmpdir(), 'reading-list-e2e-'));
const file = (name: string): string => join(folder, name);
let provider: DevelopmentProvider;
let tokens: string[];

beforeAll(async () => {
  provider = await startDevelopmentProvider({ port: 0 });
  tokens = await Promise.all(Array.from({ length: USERS }, (_, at) => provider.issue(`e2e-user-${at}`)));
  writeFileSync(file('tokens'), tokens.join('\n'));
});
afterAll(async () => {
  await provider.close();
  rmSync(folder, { recursive: true, force: true });
});

const summary = (output: string) =>
  /^(\d+) passed, (\d+) failed, (\d+) can't run here$/m.exec(output)?.slice(1).map(Number);

describe('two instances behind HAProxy with TLS, on MariaDB and Redis', () => {
  let database: Awaited<ReturnType<typeof startMariaDb>>;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let services: Service[];
  let haproxy: Haproxy;
  let certificate: Certificate;
  let publicUrl: string;

  beforeAll(async () => {
    [database, redis, certificate] = await Promise.all([startMariaDb(), startRedis(), createCertificate(folder)]);
    const port = await findFreePort();
    publicUrl = `https://127.0.0.1:${port}`;
    const settings = {
      DATABASE_URL: await database.createDatabase('reading_list'),
      MIGRATE_ON_START: 'true',
      REDIS_URL: redis.url,
      OAUTH_URI: provider.issuer,
      OAUTH_REDIRECT_DOMAINS: '127.0.0.1',
      PUBLIC_URL: publicUrl,
      TRUST_PROXY: 'loopback',
    };
    services = [await startService(settings), await startService(settings)];
    haproxy = await startHaproxy(withTls(port, certificate, services));
  });
  afterAll(async () => {
    await haproxy?.remove();
    for (const service of services ?? []) await service.kill();
    await Promise.all([database.remove(), redis.remove()]);
  });

  it('pass every case that can run there, with users of Basic and of tokens', { timeout: 600_000 }, async () => {
    const args = ['--url', publicUrl, '--basic', '--tokens', file('tokens'), '--max-rate', '1000'];
    const reports = ['--junit', file('junit.xml'), '--html', file('report.html')];
    const run = await runE2e([...args, ...reports], { NODE_EXTRA_CA_CERTS: certificate.ca });
    expect(run.output).not.toContain('FAILED');
    expect(run.status).toBe(0);
    const [passed, failed, notHere] = summary(run.output)!;
    expect(failed).toBe(0);
    expect(passed).toBeGreaterThan(900);
    expect(notHere).toBeGreaterThan(0);
    const junit = readFileSync(file('junit.xml'), 'utf8');
    expect(junit.match(/<testcase /g)).toHaveLength(passed! + notHere!);
    expect(readFileSync(file('report.html'), 'utf8')).toContain(
      `${passed} passed, 0 failed, ${notHere} can't run here`,
    );
    for (const token of tokens) expect(junit + run.output).not.toContain(token);
  });

  it('are signed in to by their public address, with cookies for https alone', async () => {
    const browser = await launchChromium();
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`${publicUrl}/v2/acct-oauth/login?redirect=${publicUrl}/__version__%23token=`);
    const cookies = (await context.cookies()).filter(({ path }) => path.includes('oauth'));
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatchObject({ secure: true, httpOnly: true, domain: '127.0.0.1' });
    await page.getByLabel('Name').fill('alice');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${publicUrl}/__version__#token=*`);
    await browser.close();
  });
});

const withTls = (port: number, { bundle }: Certificate, services: Service[]): string => `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 75s

frontend https
  bind 127.0.0.1:${port} ssl crt ${bundle} alpn http/1.1
  option forwardfor
  http-request set-header X-Forwarded-Proto https
  default_backend app

backend app
  balance roundrobin
${services.map(({ url }, at) => `  server s${at} ${new URL(url).host}`).join('\n')}
`;

describe('against one service', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ DATABASE_URL: `sqlite:${file('list.sqlite')}`, OAUTH_URI: provider.issuer });
  });
  afterAll(() => service.kill());

  const run = (...args: string[]) => runE2e(['--html', file('report.html'), '--max-rate', '1000', ...args]);

  it('users of tokens alone are enough for all cases about articles, and keep none', { timeout: 300_000 }, async () => {
    const { status, output } = await run('--url', service.url, '--tokens', file('tokens'), '--only', 'articles');
    expect(output).not.toContain('FAILED');
    expect(status).toBe(0);
    expect(summary(output)![0]).toBeGreaterThan(500);
    for (const token of tokens) {
      const { headers } = await fetch(`${service.url}/v2/articles`, { headers: { authorization: `Bearer ${token}` } });
      expect(headers.get('total-records')).toBe('0');
    }
  });

  it('refuses users who have articles unless they may be wiped', async () => {
    const token = await provider.issue('busy');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ url: 'https://example.com/mine', title: 'mine', added_by: 'phone' });
    await fetch(`${service.url}/v2/articles`, { method: 'POST', headers, body });
    writeFileSync(file('busy'), `${token}\n${tokens[0]}\n`);
    const refused = await run('--url', service.url, '--tokens', file('busy'), '--only', 'articles-read');
    expect(refused.status).toBe(2);
    expect(refused.output).toContain('--tokens: the user of token 1 has 1 articles');
    const wiped = await run('--url', service.url, '--tokens', file('busy'), '--only', 'articles-read', '--allow-wipe');
    expect(wiped.status).toBe(0);
  });

  it.each([
    ['nothing that matches', ['--basic', '--only', 'no-such-file'], 3],
    ['no credentials', [], 2],
    ['one user only', ['--tokens', 'ONE'], 2],
    ['an unknown option', ['--basic', '--colour'], 2],
  ])('%s is not a success', async (_, args, status) => {
    writeFileSync(file('one'), tokens[0]!);
    const result = await run('--url', service.url, ...args.map((arg) => (arg === 'ONE' ? file('one') : arg)));
    expect(result.status).toBe(status);
  });

  it('a host that is not a reading list is refused', async () => {
    const result = await run('--url', provider.issuer, '--basic');
    expect(result.status).toBe(2);
    expect(result.output).toContain('is not a reading-list service');
  });

  it('keeps to the given rate, and says nothing of limits where none slowed it', async () => {
    const start = performance.now();
    const result = await run('--url', service.url, '--basic', '--only', 'smoke', '--max-rate', '4');
    expect(result.output).not.toContain('FAILED');
    expect(result.output).toMatch(/^1 passed, 0 failed/m);
    expect(result.output).not.toContain('Slowed');
    expect(result.status).toBe(0);
    expect(performance.now() - start).toBeGreaterThan(2_000);
  });

  const allOf = (several: Fault[]): Fault => ({
    request: (headers, path) => several.forEach(({ request }) => request?.(headers, path)),
    answer: (first, asked) => several.reduce((answer, fault) => fault.answer?.(answer, asked) ?? answer, first),
  });

  const kept = new Map<string, unknown>();
  const faults: [string, Fault, string][] = [
    [
      'drops Last-Modified',
      { answer: (answer) => ({ ...answer, headers: without(answer.headers, (name) => name === 'last-modified') }) },
      'drops or rewrites the header Last-Modified',
    ],
    [
      'lower-cases values',
      {
        answer: (answer) => ({
          ...answer,
          headers: answer.headers.map((text, at) => (at % 2 ? text.toLowerCase() : text)),
        }),
      },
      'changes the case of values',
    ],
    [
      'rewrites 304 to 200',
      { answer: (answer) => (answer.status === 304 ? { ...answer, status: 200 } : answer) },
      'turns 304 into 200',
    ],
    [
      'caches answers',
      {
        answer: (answer, { method, path }) => {
          if (method !== 'GET' || answer.status !== 200 || !path.startsWith('/v2/articles/')) return answer;
          if (!kept.has(path)) kept.set(path, answer);
          return kept.get(path) as typeof answer;
        },
      },
      'a cache in between answers with an older state',
    ],
    [
      'cuts bodies at 64 KiB',
      {
        answer: (answer) =>
          answer.body.length <= 65_536
            ? answer
            : {
                ...answer,
                body: answer.body.subarray(0, 65_536),
                headers: [...without(answer.headers, (name) => name === 'content-length'), 'Content-Length', '65536'],
              },
      },
      'a proxy in between cuts bodies',
    ],
    [
      'strips Authorization from the batch',
      { request: (headers, path) => void (path === '/v2/batch' && delete headers.authorization) },
      'strips Authorization from POST /v2/batch',
    ],
    [
      'reorders headers',
      {
        answer: (answer) => {
          const pairs = Array.from({ length: answer.headers.length / 2 }, (_, at) =>
            answer.headers.slice(2 * at, 2 * at + 2),
          );
          return { ...answer, headers: pairs.sort(([a], [b]) => (a! < b! ? -1 : 1)).flat() };
        },
      },
      'puts them together in another order',
    ],
  ];

  /** A proxy with all faults of each half at once: no case of `middle-boxes` meets two of them. */
  const halves = [faults.filter((_, at) => at % 2 === 0), faults.filter((_, at) => at % 2 === 1)].map(
    (half) => [half.map(([what]) => what).join(', '), half] as const,
  );

  it.each(halves)('finds all that a proxy does that %s', async (_, half) => {
    const proxy = await startBrokenProxy(service.url, allOf(half.map(([, fault]) => fault)));
    const args = ['--basic', '--tokens', file('tokens'), '--only', 'middle-boxes'];
    const { status, output } = await run('--url', proxy.url, ...args);
    await proxy.close();
    expect(status).toBe(1);
    for (const [, , culprit] of half) expect(output).toContain(culprit);
  });

  it('finds nothing in a proxy that does its work', async () => {
    const proxy = await startBrokenProxy(service.url, {});
    const args = ['--basic', '--tokens', file('tokens'), '--only', 'middle-boxes'];
    const { status, output } = await run('--url', proxy.url, ...args);
    await proxy.close();
    expect(output).not.toContain('FAILED');
    expect(status).toBe(0);
  });
});
