import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
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

let app: TestApp;
beforeAll(async () => {
  app = await start();
});
afterAll(() => Promise.all(running.map((each) => each.close())));

describe('the root', () => {
  it('redirects to the latest version, and says what it is', async () => {
    const { status, headers, body } = await getJson(app, '/');
    expect(status).toBe(307);
    expect(headers.location).toBe(`${app.url}/v2/`);
    expect(body).toEqual({
      hello: 'reading list',
      version,
      url: `${app.url}/v2`,
      documentation: `${app.url}/docs`,
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
      expect(status).toBe(200);
      expect(JSON.parse(body)).toMatchObject({ url: 'http://localhost/v2' });
    },
  );

  it('believes X-Forwarded headers of nobody by default', async () => {
    const { body } = await getJson(app, '/v2', { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'evil.example' });
    expect(body.url).toBe(`${app.url}/v2`);
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
    });
    expect((await getJson(configured, '/')).headers.location).toBe('https://example.com/list/v2/');
  });
});

describe.each(['', '/v2'])('below "%s"', (prefix) => {
  it('the version names the build', async () => {
    const { status, body } = await getJson(app, `${prefix}/__version__`);
    expect(status).toBe(200);
    expect(body).toEqual({ name, version, commit: expect.stringMatching(/^([0-9a-f]{40}|unknown)$/) });
  });

  it('the heartbeat is 200 when the database answers', async () => {
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
    expect(body).toEqual({ ...states, code: 503, errno: 201, error: 'Service Unavailable', message });
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
    const rows = await app.database.database.read((session) => session.rows('SELECT 1 FROM accounts', []));
    expect(rows).toEqual([]);
  });
});

describe('the heartbeat of the load balancer', () => {
  it('is 200 though the database is away', async () => {
    const lonely = await start({ DATABASE_URL: 'mysql://root@127.0.0.1:1/none' });
    expect((await getJson(lonely, '/__lbheartbeat__')).status).toBe(200);
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
