import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, type Client, requireCapabilities } from '../support/client.js';
import { EVERYWHERE, ON_CREATION, ON_LISTING } from '../support/exposed-headers.js';
import { ScriptedProvider } from '../support/identity-provider.js';
import { type Answer, exchange, exchangeBytes } from './raw-http.js';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const ALERT = {
  code: 'soft-eol',
  message: 'Please upgrade',
  url: 'https://example.com/upgrade',
};
const BUSY = {
  BACKOFF: 'always',
  BACKOFF_SECONDS: '7',
  RETRY_AFTER_SECONDS: '11',
  EOS_DATE: '2999-12-31',
  EOS_MESSAGE: ALERT.message,
  EOS_URL: ALERT.url,
};

/** A service, a user of it, and one article of that user. */
interface Scene {
  app: TestApp;
  device: Client;
  article: { id: string; url: string; last_modified: number };
  send: (method: string, path: string, headers?: Record<string, string>, body?: unknown) => Promise<Answer>;
}

interface Case {
  status: number;
  errno?: number;
  what: string;
  answer: (scene: Scene) => Promise<Answer>;
  exposed?: string;
}

const CASES: Case[] = [
  { status: 200, what: 'the list', answer: ({ send }) => send('GET', '/v2/articles'), exposed: ON_LISTING },
  {
    status: 200,
    what: 'the list, where the id of the request is the name of a header',
    answer: ({ send }) => send('GET', '/v2/articles', { 'X-Request-Id': 'Cache-Control' }),
    exposed: ON_LISTING,
  },
  { status: 200, what: 'the count', answer: ({ send }) => send('HEAD', '/v2/articles'), exposed: ON_LISTING },
  {
    status: 201,
    what: 'a new article',
    answer: ({ send }) => send('POST', '/v2/articles', {}, anArticle()),
    exposed: ON_CREATION,
  },
  {
    status: 200,
    what: 'an article that was there already',
    answer: ({ send, article }) => send('POST', '/v2/articles', {}, anArticle({ url: article.url })),
    exposed: ON_CREATION,
  },
  { status: 200, what: 'one article', answer: ({ send, article }) => send('GET', `/v2/articles/${article.id}`) },
  {
    status: 200,
    what: 'HEAD of an article',
    answer: ({ send, article }) => send('HEAD', `/v2/articles/${article.id}`),
  },
  { status: 200, what: 'PATCH', answer: ({ send, article }) => send('PATCH', `/v2/articles/${article.id}`, {}, {}) },
  {
    status: 200,
    what: 'DELETE of an article',
    answer: async ({ send, device }) => {
      const { body } = await device.post('/articles').send(anArticle());
      return send('DELETE', `/v2/articles/${body.id}`);
    },
  },
  { status: 200, what: 'DELETE of the collection', answer: ({ send }) => send('DELETE', '/v2/articles?title=none') },
  { status: 200, what: 'the root of the API', answer: ({ send }) => send('GET', '/v2') },
  { status: 200, what: 'the heartbeat', answer: ({ send }) => send('GET', '/__heartbeat__') },
  { status: 200, what: 'the version', answer: ({ send }) => send('GET', '/v2/__version__') },
  {
    status: 200,
    what: 'the login parameters',
    answer: ({ send }) => {
      requireCapabilities('oauth');
      return send('GET', '/v2/acct-oauth/params');
    },
  },
  { status: 204, what: 'a preflight', answer: ({ send }) => send('OPTIONS', '/v2/articles') },
  {
    status: 304,
    what: 'an unchanged list',
    answer: ({ send }) => send('GET', '/v2/articles', { 'If-Modified-Since': '9999999999999' }),
    exposed: ON_LISTING,
  },
  {
    status: 304,
    what: 'an unchanged article',
    answer: ({ send, article }) =>
      send('GET', `/v2/articles/${article.id}`, { 'If-Modified-Since': String(article.last_modified) }),
  },
  { status: 307, what: 'the root', answer: ({ send }) => send('GET', '/') },
  { status: 307, what: 'a path without version', answer: ({ send }) => send('POST', '/articles', {}, anArticle()) },
  {
    status: 400,
    errno: 106,
    what: 'a body that is not JSON',
    answer: ({ app, device }) =>
      exchange(app.url, 'POST', '/v2/articles', { Authorization: device.authorization, 'Content-Length': '1' }, '{'),
    exposed: ON_CREATION,
  },
  {
    status: 400,
    errno: 107,
    what: 'a wrong parameter',
    answer: ({ send }) => send('GET', '/v2/articles?colour=red'),
    exposed: ON_LISTING,
  },
  {
    status: 400,
    errno: 108,
    what: 'a missing field',
    answer: ({ send }) => send('POST', '/v2/articles', {}, {}),
    exposed: ON_CREATION,
  },
  {
    status: 400,
    errno: 109,
    what: 'a wrong field',
    answer: ({ send, article }) => send('PATCH', `/v2/articles/${article.id}`, {}, { unread: 'maybe' }),
  },
  {
    status: 400,
    errno: 107,
    what: 'bytes that are not HTTP',
    answer: ({ app }) => exchangeBytes(app.url, 'NONSENSE\r\n\r\n'),
  },
  {
    status: 400,
    errno: 107,
    what: 'a missing Host',
    answer: ({ app }) => exchangeBytes(app.url, 'GET /v2 HTTP/1.1\r\nConnection: close\r\n\r\n'),
  },
  {
    status: 401,
    errno: 104,
    what: 'no credentials',
    answer: ({ app }) => exchange(app.url, 'GET', '/v2/articles'),
    exposed: ON_LISTING,
  },
  {
    status: 401,
    errno: 105,
    what: 'refused credentials',
    answer: ({ app }) => exchange(app.url, 'DELETE', '/v2/articles', { Authorization: 'Basic Og==' }),
  },
  {
    status: 404,
    errno: 110,
    what: 'an id that is not a UUID',
    answer: ({ send }) => send('GET', '/v2/articles/1'),
  },
  {
    status: 404,
    errno: 111,
    what: 'an unknown article',
    answer: ({ send }) => send('DELETE', `/v2/articles/${UNKNOWN_ID}`),
  },
  { status: 404, errno: 111, what: 'an unknown path', answer: ({ send }) => send('GET', '/v2/nothing') },
  { status: 405, errno: 115, what: 'another verb', answer: ({ send }) => send('PUT', '/v2/articles', {}, {}) },
  {
    status: 409,
    errno: 122,
    what: 'a conflict',
    answer: async ({ send, device, article }) => {
      const { body } = await device.post('/articles').send(anArticle());
      return send('PATCH', `/v2/articles/${body.id}`, {}, { resolved_url: article.url });
    },
  },
  { status: 410, errno: 202, what: 'an old version', answer: ({ send }) => send('GET', '/v1/articles') },
  {
    status: 411,
    errno: 112,
    what: 'a body without length',
    answer: ({ app, device }) =>
      exchange(
        app.url,
        'POST',
        '/v2/articles',
        { Authorization: device.authorization, 'Transfer-Encoding': 'chunked' },
        '{}',
      ),
    exposed: ON_CREATION,
  },
  {
    status: 412,
    errno: 114,
    what: 'a failed precondition',
    answer: ({ send }) => send('POST', '/v2/articles', { 'If-Unmodified-Since': '1' }, anArticle()),
    exposed: ON_CREATION,
  },
  {
    status: 413,
    errno: 113,
    what: 'a body too large',
    answer: ({ app, device }) =>
      exchangeBytes(
        app.url,
        `POST /v2/articles HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${device.authorization}\r\n` +
          'Content-Length: 2097153\r\n\r\n',
      ),
    exposed: ON_CREATION,
  },
  {
    status: 417,
    errno: 107,
    what: 'an unknown expectation',
    answer: ({ app }) => exchange(app.url, 'GET', '/v2', { Expect: 'a miracle' }),
  },
  {
    status: 431,
    errno: 107,
    what: 'headers too large',
    answer: ({ app }) => exchangeBytes(app.url, `GET /v2 HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`),
  },
];

/** What another configuration of the service is needed for. */
const SPECIAL: (Case & { variables: () => Record<string, string>; prepare?: (app: TestApp) => Promise<unknown> })[] = [
  {
    status: 403,
    errno: 121,
    what: 'a token without the scope',
    variables: () => ({ OAUTH_URI: provider.issuer }),
    answer: async ({ app }) =>
      exchange(app.url, 'GET', '/v2/articles', { Authorization: `Bearer ${await provider.sign({ scope: 'other' })}` }),
    exposed: ON_LISTING,
  },
  {
    status: 405,
    errno: 115,
    what: 'a disabled DELETE',
    variables: () => ({ DELETE_COLLECTION_ENABLED: 'false' }),
    answer: ({ send }) => send('DELETE', '/v2/articles'),
  },
  {
    status: 410,
    errno: 202,
    what: 'the service after its end',
    variables: () => ({}),
    prepare: (app) => Promise.resolve(app.setClock(Date.parse('3000-01-01'))),
    answer: ({ send }) => send('GET', '/v2/articles'),
    exposed: ON_LISTING,
  },
  {
    status: 429,
    errno: 117,
    what: 'too many requests',
    variables: () => ({ RATE_LIMIT_PER_MINUTE: '1' }),
    answer: async ({ send }) => {
      await send('GET', '/v2/articles');
      return send('GET', '/v2/articles');
    },
    exposed: ON_LISTING,
  },
  {
    status: 500,
    errno: 999,
    what: 'a defect',
    variables: () => ({}),
    prepare: ({ database }) =>
      database.onSession((session) => session.run('ALTER TABLE articles RENAME COLUMN excerpt TO gone', [])),
    answer: ({ send }) => send('GET', '/v2/articles'),
    exposed: ON_LISTING,
  },
  {
    status: 503,
    errno: 201,
    what: 'a database that is away',
    variables: () => ({ DATABASE_URL: 'mysql://root@127.0.0.1:1/none' }),
    answer: ({ send }) => send('GET', '/v2/articles'),
    exposed: ON_LISTING,
  },
  {
    status: 503,
    errno: 201,
    what: 'a heartbeat without database',
    variables: () => ({ DATABASE_URL: 'mysql://root@127.0.0.1:1/none' }),
    answer: ({ send }) => send('GET', '/__heartbeat__'),
  },
];

let provider: ScriptedProvider;
const scenes: Scene[] = [];

async function makeScene(variables: Record<string, string>): Promise<Scene> {
  const app = await startApp(variables);
  const device = client(app.url);
  const scene: Scene = {
    app,
    device,
    article: { id: UNKNOWN_ID, url: '', last_modified: 0 },
    send: (method, path, headers = {}, body) => {
      const text = body === undefined ? '' : JSON.stringify(body);
      const length = String(Buffer.byteLength(text));
      const all = { Authorization: device.authorization, 'Content-Length': length, ...headers };
      return exchange(app.url, method, path, all, text);
    },
  };
  scenes.push(scene);
  return scene;
}

async function makeSceneWithArticle(variables: Record<string, string>): Promise<Scene> {
  const scene = await makeScene(variables);
  const { body: article } = await scene.device.post('/articles').send(anArticle()).expect(201);
  return { ...scene, article };
}

beforeAll(async () => {
  provider = await ScriptedProvider.start();
});
afterAll(async () => {
  for (const { app } of scenes) await app.close();
  await provider.close();
});

/** The rules for the headers of any answer. */
function expectHeaders({ status, errno, what, exposed = EVERYWHERE }: Case, answer: Answer, isBusy: boolean): void {
  const { headers, body } = answer;
  expect(answer.status).toBe(status);
  expect(headers['access-control-allow-origin']).toBe('*');
  expect(headers['access-control-expose-headers']).toBe(exposed);
  expect(headers['access-control-allow-credentials']).toBeUndefined();
  expect(headers['cache-control']).toBe('no-store');
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(headers['x-powered-by']).toBeUndefined();
  expect(headers.etag).toBeUndefined();
  expect(headers.location !== undefined).toBe(status === 307);
  expect(headers.allow !== undefined).toBe(status === 405 || what === 'a preflight');
  expect(headers['www-authenticate'] !== undefined).toBe(status === 401);
  expect(headers.backoff).toBe(isBusy && status < 400 ? '7' : undefined);
  if (status >= 500) expect(headers['retry-after']).toBe(isBusy ? '11' : '30');
  else if (status === 429) expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  else expect(headers['retry-after']).toBeUndefined();
  if (!isBusy) expect(headers.alert).toBeUndefined();
  else if (status !== 410 || what === 'an old version') expect(JSON.parse(headers.alert!)).toEqual(ALERT);
  else expect(JSON.parse(headers.alert!)).toEqual({ ...ALERT, code: 'hard-eol' });
  if (status === 304 || status === 204) {
    expect(body).toBe('');
    expect(headers['content-type']).toBeUndefined();
    expect(headers['total-records']).toBeUndefined();
    return;
  }
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
  if (body !== '') expect(JSON.parse(body)).toBeTypeOf('object');
  if (errno === undefined) return;
  const error = JSON.parse(body);
  expect(error).toMatchObject({ code: status, errno });
  expect(error.error).toBeTypeOf('string');
  expect(error.message).toBeTypeOf('string');
  expect(body).not.toMatch(/\bat .*\.(ts|js):\d+/);
}

describe.each([
  { state: 'at rest', variables: {}, isBusy: false },
  { state: 'under load and with an end in sight', variables: BUSY, isBusy: true },
])('the headers $state', ({ variables, isBusy }) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await makeSceneWithArticle(variables);
  });

  it.each(CASES)('of $status: $what', async (given) => {
    expectHeaders(given, await given.answer(scene), isBusy);
  });
});

describe('the headers under load and with an end in sight', () => {
  it.each(SPECIAL)('of $status: $what', async (given) => {
    const scene = await makeScene({ ...BUSY, ...given.variables() });
    await given.prepare?.(scene.app);
    expectHeaders(given, await given.answer(scene), true);
  });
});

describe('the timestamp of what is answered', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await makeSceneWithArticle({});
  });
  const own = async () => (await scene.send('GET', '/v2/articles')).headers['last-modified'];

  it.each([
    ['GET', 'the collection', 200, '/v2/articles', {}],
    ['HEAD', 'the collection', 200, '/v2/articles', {}],
    ['GET', 'the collection', 304, '/v2/articles', { 'If-Modified-Since': '9999999999999' }],
    ['HEAD', 'the collection', 304, '/v2/articles', { 'If-Modified-Since': '9999999999999' }],
    ['GET', 'the collection', 412, '/v2/articles', { 'If-Unmodified-Since': '1' }],
    ['DELETE', 'the collection', 412, '/v2/articles', { 'If-Unmodified-Since': '1' }],
    ['POST', 'the collection', 412, '/v2/articles', { 'If-Unmodified-Since': '1' }],
    ['GET', 'the article', 200, '/v2/articles/:id', {}],
    ['HEAD', 'the article', 200, '/v2/articles/:id', {}],
    ['GET', 'the article', 304, '/v2/articles/:id', { 'If-Modified-Since': '9999999999999' }],
    ['HEAD', 'the article', 304, '/v2/articles/:id', { 'If-Modified-Since': '9999999999999' }],
    ['GET', 'the article', 412, '/v2/articles/:id', { 'If-Unmodified-Since': '1' }],
    ['PATCH', 'the article', 412, '/v2/articles/:id', { 'If-Unmodified-Since': '1' }],
    ['DELETE', 'the article', 412, '/v2/articles/:id', { 'If-Unmodified-Since': '1' }],
  ])('is on %s of %s with %i', async (method, target, status, path, headers) => {
    const other = await scene.device.post('/articles').send(anArticle()).expect(201);
    const { id, last_modified } = scene.article;
    const body = method === 'POST' ? anArticle() : method === 'PATCH' ? {} : undefined;
    const answer = await scene.send(method, path.replace(':id', id), headers, body);
    expect(answer.status).toBe(status);
    expect(answer.headers['last-modified']).toBe(String(target === 'the article' ? last_modified : await own()));
    expect(Number(await own())).toBe(other.body.last_modified);
  });

  it('is not on POST, PATCH and DELETE', async () => {
    const { body, headers } = await scene.device.post('/articles').send(anArticle()).expect(201);
    expect(headers).not.toHaveProperty('last-modified');
    const path = `/articles/${body.id}`;
    for (const test of [
      scene.device.post('/articles').send({ ...body }),
      scene.device.patch(path).send({ favorite: true }),
      scene.device.delete(path),
      scene.device.delete('/articles?title=none'),
    ])
      expect((await test.expect(200)).headers).not.toHaveProperty('last-modified');
  });
});

describe('a preflight', () => {
  it.each([
    ['/v2/articles', 'DELETE, GET, HEAD, POST'],
    ['/v2/articles/1', 'DELETE, GET, HEAD, PATCH'],
    ['/v2/batch', 'POST'],
    ['/v2', 'GET, HEAD'],
    ['/v2/', 'GET, HEAD'],
    ['/', 'GET, HEAD'],
    ['/__heartbeat__', 'GET, HEAD'],
  ])('of %s allows %s and the headers asked for', async (path, methods) => {
    const asked = 'authorization, if-unmodified-since, response-behavior';
    const headers = {
      Origin: 'https://app.example.com',
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': asked,
    };
    const answer = await exchange(scenes[0]!.app.url, 'OPTIONS', path, headers);
    expect(answer.status).toBe(204);
    expect(answer.headers['access-control-allow-methods']).toBe(methods);
    expect(answer.headers['access-control-allow-headers']).toBe(asked);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('is refused on an unknown path', async () => {
    expect((await exchange(scenes[0]!.app.url, 'OPTIONS', '/v2/nothing')).status).toBe(404);
  });
});
