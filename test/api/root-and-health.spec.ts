import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { requireCapabilities, requireOwnService } from '../support/client.js';
import { ScriptedProvider } from '../support/identity-provider.js';
import { exchange, exchangeBytes } from './raw-http.js';

const { name, version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')) as {
  name: string;
  version: string;
};

const running: TestApp[] = [];
const start = async (variables: Record<string, string> = {}): Promise<TestApp> => {
  const app = await startApp(variables);
  running.push(app);
  return app;
};
const getJson = async (app: TestApp, path: string, headers: Record<string, string> = {}) => {
  const { status, headers: received, body } = await exchange(app.url, 'GET', path, headers);
  return { status, headers: received, body: JSON.parse(body) as Record<string, unknown> };
};

const settings = {
  page_size: 100,
  batch_max_requests: 25,
  max_body_bytes: 2_097_152,
  wait_max_seconds: 55,
  delete_collection: true,
};
const capabilities = ['basic', 'oauth', 'tokens', 'wait'];
const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://list.example.com',
  USER_ID_SECRET: 'u'.repeat(32),
  SESSION_SECRET: 's'.repeat(32),
  OAUTH_URI: 'https://provider.example.com',
  OAUTH_CLIENT_ID: 'list',
  OAUTH_CLIENT_SECRET: 'secret',
};

let app: TestApp;
beforeAll(async () => {
  app = await start();
});
afterAll(() => Promise.all(running.map((each) => each.close())));

describe('the root', () => {
  it('redirects to the latest version, and says what it is', async () => {
    requireCapabilities(...capabilities);
    const { status, headers, body } = await getJson(app, '/');
    expect(status).toBe(307);
    expect(headers.location).toBe(`${app.url}/v2/`);
    expect(body).toEqual({
      hello: 'reading list',
      version,
      url: `${app.url}/v2`,
      documentation: `${app.url}/docs`,
      settings,
      capabilities,
    });
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(['/v2', '/v2/', '/v2?a=b', '/v2/?a=b'])(
    'of the version answers 200 with the same mapping at %s',
    async (path) => {
      const { status, headers, body } = await getJson(app, path);
      expect(status).toBe(200);
      expect(headers.location).toBeUndefined();
      expect(body).toEqual((await getJson(app, '/')).body);
    },
  );

  it.each([
    ['/', 307],
    ['/v2', 200],
    ['/v2/', 200],
  ])('answers HEAD %s with %i and no body', async (path, status) => {
    const answer = await exchange(app.url, 'HEAD', path);
    expect([answer.status, answer.body]).toEqual([status, '']);
  });

  it('takes its address from the Host header', async () => {
    requireOwnService('its address may be configured');
    const { headers, body } = await getJson(app, '/', { Host: 'list.example.com:8080' });
    expect(headers.location).toBe('http://list.example.com:8080/v2/');
    expect(body.url).toBe('http://list.example.com:8080/v2');
  });

  it.each(['evil"><script>', 'a b', 'a/b', '', 'user@evil', '[::1', 'a\tb'])(
    'takes no nonsense from it: %j',
    async (host) => {
      const { body, status } = await exchangeBytes(
        app.url,
        `GET /v2 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(status).toBe(400);
      expect(JSON.parse(body)).toMatchObject({ code: 400, errno: 107, message: 'Host: not a host' });
    },
  );

  it('believes X-Forwarded headers of nobody by default', async () => {
    const { body } = await getJson(app, '/v2', { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' });
    expect(body.url).toBe(`${app.url}/v2`);
  });

  it.each([
    [{ 'X-Forwarded-Proto': 'javascript' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Proto': 'javascript:alert(1)//' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Proto': '\u0142' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Proto': 'HTTPS' }, 'https://a.example:81'],
    [{ 'X-Forwarded-Proto': '' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Proto': 'https, http' }, 'https://a.example:81'],
    [{ 'X-Forwarded-Host': 'evil example' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Host': 'evil.example/path' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Host': 'me@evil.example' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Host': 'evil.example:99999' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Host': '[::zz]' }, 'http://a.example:81'],
    [{ 'X-Forwarded-Host': '[::1]:8443', 'X-Forwarded-Proto': 'https' }, 'https://[::1]:8443'],
    [{ 'X-Forwarded-Host': 'b.example, c.example' }, 'http://b.example'],
    [{ Host: 'b.example:' }, 'http://b.example'],
  ])('takes of a trusted proxy only what is well-formed: %j', async (forwarded, base) => {
    const behind = await start({ TRUST_PROXY: 'loopback' });
    const lines = Object.entries({ Host: 'a.example:81', Connection: 'close', ...forwarded });
    const bytes = `GET / HTTP/1.1\r\n${lines.map((pair) => pair.join(': ')).join('\r\n')}\r\n\r\n`;
    const { status, headers, body } = await exchangeBytes(behind.url, bytes);
    expect([status, headers.location, JSON.parse(body).url]).toEqual([307, `${base}/v2/`, `${base}/v2`]);
  });

  it('believes X-Forwarded headers of a trusted proxy', async () => {
    const behind = await start({ TRUST_PROXY: 'loopback' });
    const forwarded = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'list.example.com' };
    expect((await getJson(behind, '/v2', forwarded)).body.url).toBe('https://list.example.com/v2');
  });

  it('shows what is configured', async () => {
    const configured = await start({
      PUBLIC_URL: 'https://example.com/list/',
      SERVICE_NAME: 'Später lesen',
      DOCUMENTATION_URL: 'https://docs.example.com/',
      EOS_DATE: '2999-12-31',
    });
    expect((await getJson(configured, '/v2', { Host: 'other' })).body).toEqual({
      hello: 'Später lesen',
      version,
      url: 'https://example.com/list/v2',
      eos: '2999-12-31',
      documentation: 'https://docs.example.com/',
      settings,
      capabilities,
    });
    expect((await getJson(configured, '/')).headers.location).toBe('https://example.com/list/v2/');
  });

  it.each([
    ['PAGE_SIZE', '7', { page_size: 7 }],
    ['BATCH_MAX_REQUESTS', '3', { batch_max_requests: 3 }],
    ['MAX_BODY_BYTES', '4096', { max_body_bytes: 4096 }],
    ['WAIT_MAX_SECONDS', '20', { wait_max_seconds: 20 }],
    ['WAIT_MAX_SECONDS', '0', { wait_max_seconds: 0 }],
    ['DELETE_COLLECTION_ENABLED', 'false', { delete_collection: false }],
  ])('tells the limit that %s=%s sets', async (name, value, changed) => {
    const limited = await start({ [name]: value });
    for (const path of ['/', '/v2', '/v2/'])
      expect((await getJson(limited, path)).body.settings).toEqual({ ...settings, ...changed });
  });

  it.each([
    [{}, ['basic', 'oauth', 'tokens', 'wait']],
    [{ BASIC_AUTH_ENABLED: 'false' }, ['oauth', 'tokens', 'wait']],
    [{ TOKENS_ENABLED: 'false' }, ['basic', 'oauth', 'wait']],
    [{ WAIT_MAX_SECONDS: '0' }, ['basic', 'oauth', 'tokens']],
    [production, ['oauth', 'tokens', 'wait']],
    [{ ...production, OAUTH_URI: '' }, ['tokens', 'wait']],
    [{ ...production, BASIC_AUTH_ENABLED: 'true', WAIT_MAX_SECONDS: '0' }, ['basic', 'oauth', 'tokens']],
  ])('names what is switched on: %j', async (variables, names) => {
    const switched = await start(variables);
    requireCapabilities(...names);
    for (const path of ['/', '/v2', '/v2/']) expect((await getJson(switched, path)).body.capabilities).toEqual(names);
  });
});

describe.each(['', '/v2'])('below "%s"', (prefix) => {
  it('the version names the build', async () => {
    const { status, body } = await getJson(app, `${prefix}/__version__`);
    expect(status).toBe(200);
    expect(body).toEqual({ name, version, commit: expect.stringMatching(/^([0-9a-f]{40}|unknown)$/) });
  });

  it('the heartbeat is 200 when the database answers', async () => {
    requireOwnService('a deployment has more dependencies than the database');
    const { status, body } = await getJson(app, `${prefix}/__heartbeat__`);
    expect([status, body]).toEqual([200, { database: true }]);
  });

  it('the heartbeat of the load balancer is 200', async () => {
    const { status, body } = await getJson(app, `${prefix}/__lbheartbeat__`);
    expect([status, body]).toEqual([200, {}]);
  });
});

describe('the heartbeat', () => {
  it('names every dependency in use', async () => {
    const provider = await ScriptedProvider.start();
    const connected = await start({ OAUTH_URI: provider.issuer });
    expect(await getJson(connected, '/__heartbeat__')).toMatchObject({
      status: 200,
      body: { database: true, oauth: true },
    });
    provider.answers.set('/introspect', { status: 401, json: { error: 'invalid_client' } });
    const refused = async () =>
      expect(await getJson(connected, '/__heartbeat__')).toMatchObject({
        status: 503,
        body: {
          database: true,
          oauth: false,
          message: 'Not available: oauth (the provider refuses OAUTH_CLIENT_ID / OAUTH_CLIENT_SECRET)',
        },
      });
    await vi.waitFor(refused, { timeout: 15_000, interval: 200 });
    await provider.close();
  });

  it('makes one request to the provider in two seconds, however often it is asked', async () => {
    const provider = await ScriptedProvider.start();
    const asked = await start({ OAUTH_URI: provider.issuer });
    const began = performance.now();
    for (let round = 0; round < 3; round++)
      await Promise.all(Array.from({ length: 20 }, () => getJson(asked, '/__heartbeat__')));
    expect(provider.countOf('/introspect')).toBeLessThanOrEqual(2 + (performance.now() - began) / 2_000);
    await provider.close();
  });

  it.each([
    ['the database', { DATABASE_URL: 'mysql://root@127.0.0.1:1/none' }, { database: false }],
    ['the provider', { OAUTH_URI: 'http://127.0.0.1:1' }, { database: true, oauth: false }],
    ['the cache', { REDIS_URL: 'redis://127.0.0.1:1' }, { database: true, cache: false }],
  ])('is 503 when %s is away, with the same keys and the error', async (_, variables, states) => {
    const lonely = await start(variables);
    const { status, headers, body } = await getJson(lonely, '/__heartbeat__');
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('30');
    const message = `Not available: ${Object.entries(states).find(([, isUp]) => !isUp)![0]}`;
    const info = expect.stringMatching(/\/errors#201$/) as string;
    expect(body).toEqual({ ...states, code: 503, errno: 201, error: 'Service Unavailable', message, info });
  });

  it('answers within a few seconds though the provider says nothing', async () => {
    const provider = await ScriptedProvider.start();
    provider.answers.set('/.well-known/openid-configuration', 'hang');
    const patient = await start({ OAUTH_URI: provider.issuer });
    const began = performance.now();
    const { status, body } = await getJson(patient, '/__heartbeat__');
    expect(performance.now() - began).toBeLessThan(4000);
    expect([status, body.oauth]).toEqual([503, false]);
    await provider.close();
  });

  it('changes nothing for a user', async () => {
    await getJson(app, '/__heartbeat__');
    const rows = await app.database.onSession((session) => session.rows('SELECT 1 FROM accounts', []));
    expect(rows).toEqual([]);
  });
});

describe('the heartbeat of the load balancer', () => {
  it('is 503 until the process has had its database once', async () => {
    const lonely = await start({ DATABASE_URL: 'mysql://root@127.0.0.1:1/none' });
    const { status, headers, body } = await getJson(lonely, '/__lbheartbeat__');
    expect([status, body.errno, headers['retry-after']]).toEqual([503, 201, '30']);
    expect(body.message).toBe('This instance has not reached its database yet');
  });

  it('is 200 though the database went away', async () => {
    const lonely = await start();
    await lonely.database.onApplicationShutdown();
    expect((await getJson(lonely, '/__heartbeat__')).body).toMatchObject({ database: false });
    expect((await getJson(lonely, '/__lbheartbeat__')).status).toBe(200);
  });

  it('is 503 once everything was refused for some seconds, until something is taken again', async () => {
    const full = await start();
    const statusOf = async (path: string): Promise<number> => (await getJson(full, path)).status;
    full.status.monitor.inFlight += 1_000;
    expect([await statusOf('/v2'), await statusOf('/__lbheartbeat__')]).toEqual([503, 200]);
    await expect.poll(() => statusOf('/__lbheartbeat__'), { timeout: 10_000, interval: 200 }).toBe(503);
    expect(await statusOf('/v2')).toBe(503);
    full.status.monitor.inFlight -= 1_000;
    expect(await statusOf('/__lbheartbeat__')).toBe(200);
    expect([await statusOf('/v2'), await statusOf('/__lbheartbeat__')]).toEqual([200, 200]);
  });

  it('is 503 from the moment the instance shuts down, while others are still answered', async () => {
    const leaving = await start();
    leaving.status.draining = true;
    const { status, headers, body } = await getJson(leaving, '/__lbheartbeat__');
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe('30');
    expect(body).toMatchObject({ code: 503, errno: 201 });
    const root = await getJson(leaving, '/v2');
    expect([root.status, root.headers.connection]).toEqual([200, 'close']);
  });
});
