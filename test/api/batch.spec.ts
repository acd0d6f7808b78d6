import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FIELD_NAMES } from '../../src/protocol/fields.js';
import { startApp, startAppWithProvider, type TestAppWithProvider } from '../support/app.js';
import { anArticle } from '../support/article.js';
import {
  basicAuthorization,
  client,
  clientWith,
  type Client,
  requireNewUser,
  requireOwnService,
} from '../support/client.js';
import { createTestDatabase } from '../support/database.js';
import { exchange, exchangeBytes, sendBytes } from './raw-http.js';

interface Slot {
  status: number;
  path: string;
  body: Record<string, unknown> & { items: Record<string, unknown>[] };
  headers: Record<string, string>;
}

let app: TestAppWithProvider;
beforeAll(async () => {
  app = await startAppWithProvider();
});
afterAll(() => app?.close());

/** A device of a new user who has signed in. */
const signedIn = async (url = app.url): Promise<Client> => clientWith(url, `Bearer ${await app.issue(randomUUID())}`);

/** Runs a batch that has to be answered 200. */
async function run(device: Client, requests: unknown[], defaults?: unknown, headers: Record<string, string> = {}) {
  const { body } = await device.post('/batch').set(headers).send({ requests, defaults }).expect(200);
  expect(Object.keys(body as object)).toEqual(['responses']);
  return body.responses as Slot[];
}

const countOf = async (device: Client) => Number((await device.head('/articles').expect(200)).headers['total-records']);
const post = (fields?: Record<string, unknown>) => ({ method: 'POST', path: '/articles', body: anArticle(fields) });
const byName = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

describe('a batch needs a bearer token', () => {
  it.each([
    ['no credentials', '', 401, 104],
    ['Basic credentials', basicAuthorization('me'), 401, 104],
    ['malformed Basic credentials', 'Basic !!!', 401, 104],
    ['a refused token', 'Bearer nonsense', 401, 105],
  ])('%s are not enough', async (_, authorization, status, errno) => {
    const { body, headers } = await clientWith(app.url, authorization)
      .post('/batch')
      .send({ requests: [] })
      .expect(status);
    expect(body).toMatchObject({ code: status, errno });
    const reason = errno === 105 ? ', error="invalid_token"' : '';
    expect(headers['www-authenticate']).toBe(`Bearer realm="reading list"${reason}`);
    if (errno === 104) expect(body.message).toBe('A bearer token is required');
  });

  it('with the scope', async () => {
    const token = await app.issue('alice', { scope: 'openid' });
    const { body } = await clientWith(app.url, `Bearer ${token}`).post('/batch').send({ requests: [] }).expect(403);
    expect(body).toMatchObject({ code: 403, errno: 121 });
  });

  it('before anything else', async () => {
    const { status, body } = await exchange(app.url, 'POST', '/v2/batch', { 'Content-Length': '1' }, '{');
    expect([status, JSON.parse(body).errno]).toEqual([401, 104]);
  });

  it('of a user who is nobody of the same name with Basic credentials', async () => {
    const device = clientWith(app.url, `Bearer ${await app.issue('bob')}`);
    const [created] = await run(device, [post()]);
    expect(created!.status).toBe(201);
    expect((await client(app.url, 'bob').get('/articles').expect(200)).body.items).toEqual([]);
  });
});

describe('a batch', () => {
  it('answers each request, in order', async () => {
    const device = await signedIn();
    const responses = await run(device, [
      { method: 'GET', path: '/articles' },
      post({ title: 'one' }),
      { method: 'GET', path: '/nothing' },
      { method: 'HEAD', path: '/articles?title=one' },
    ]);
    expect(responses.map(({ status, path }) => [status, path])).toEqual([
      [200, '/articles'],
      [201, '/articles'],
      [404, '/nothing'],
      [200, '/articles?title=one'],
    ]);
    expect(responses[0]!.body).toEqual({ items: [] });
    expect(responses[1]!.body).toMatchObject({ title: 'one', unread: true });
    expect(responses[2]!.body).toMatchObject({ code: 404, errno: 111 });
    expect(responses[3]!.body).toEqual({});
    expect(byName(responses[3]!.headers)['total-records']).toBe('1');
    for (const response of responses)
      expect(Object.keys(response).sort()).toEqual(['body', 'headers', 'path', 'status']);
  });

  it('may be empty', async () => {
    expect(await run(await signedIn(), [])).toEqual([]);
  });

  it('runs one request after the other', async () => {
    const device = await signedIn();
    requireNewUser(device);
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    const path = `/articles/${article.id}`;
    const [patched, read, removed, gone, listed] = await run(device, [
      { method: 'PATCH', path, body: { unread: false } },
      { method: 'GET', path },
      { method: 'DELETE', path },
      { method: 'GET', path },
      { method: 'GET', path: '/articles?_since=0' },
    ]);
    expect(patched!.body).toMatchObject({ unread: false });
    expect(read!.body).toEqual(patched!.body);
    expect(removed!.body).toMatchObject({ deleted: true });
    expect(gone!.status).toBe(404);
    expect(listed!.body.items).toEqual([removed!.body]);
  });

  it('creates an article once when it is in there twice', async () => {
    const device = await signedIn();
    const same = post();
    const [first, second] = await run(device, [same, same]);
    expect([first!.status, second!.status]).toEqual([201, 200]);
    expect(second!.body).toEqual(first!.body);
    expect(await countOf(device)).toBe(1);
  });

  it('goes on after a request that fails, and keeps what was done', async () => {
    const device = await signedIn();
    const responses = await run(device, [
      post(),
      { method: 'POST', path: '/articles', body: {} },
      { method: 'PUT', path: '/articles', body: {} },
      { method: 'PATCH', path: '/articles/1', body: {} },
      { method: 'DELETE', path: `/articles/${randomUUID()}` },
      { method: 'GET', path: '/articles?colour=red' },
      { method: 'GET', path: '/articles', headers: { 'If-Unmodified-Since': '1' } },
      { method: 'GET', path: '/v1/articles' },
      post(),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([201, 400, 405, 404, 404, 400, 412, 410, 201]);
    expect(responses.map(({ body }) => body.errno)).toEqual([undefined, 108, 115, 110, 111, 107, 114, 202, undefined]);
    expect(await countOf(device)).toBe(2);
  });

  it('gives every change a timestamp of its own', async () => {
    const responses = await run(
      await signedIn(),
      Array.from({ length: 25 }, () => post()),
    );
    const times = responses.map(({ body }) => body.last_modified as number);
    expect(times).toEqual([...new Set(times)].sort());
  });

  it('is not there for other users', async () => {
    const device = await signedIn();
    await run(device, [post()]);
    const other = await signedIn();
    requireNewUser(other);
    const [listed] = await run(other, [{ method: 'GET', path: '/articles?_since=0' }]);
    expect(listed!.body.items).toEqual([]);
  });

  it('takes every method in any case', async () => {
    const methods = ['get', 'Head', 'POST', 'put', 'pAtCh', 'delete'];
    const responses = await run(
      await signedIn(),
      methods.map((method) => ({ method, path: '/articles' })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 400, 405, 405, 200]);
  });

  it('takes paths with and without version, with a query and with any character', async () => {
    const device = await signedIn();
    await device
      .post('/articles')
      .send(anArticle({ title: 'ä😀 & b' }))
      .expect(201);
    const paths = [
      '/articles',
      '/v2/articles',
      '/v2/articles?title=ä😀%20%26%20b',
      '/articles?title=%C3%A4%F0%9F%98%80 %26 b&_limit=1',
      '/articles?title=other',
      '/',
      '/v2',
      '/__heartbeat__',
    ];
    const responses = await run(
      device,
      paths.map((path) => ({ method: 'GET', path })),
    );
    expect(responses.map(({ path }) => path)).toEqual(paths);
    expect(responses.map(({ status }) => status)).toEqual(paths.map(() => 200));
    expect(responses.slice(0, 5).map(({ body }) => body.items.length)).toEqual([1, 1, 1, 1, 0]);
    expect(responses[5]!.body).toMatchObject({ hello: 'reading list' });
  });

  it('ignores the body of a request that has none alone', async () => {
    const device = await signedIn();
    const body = { anything: 1 };
    const responses = await run(device, [
      { method: 'GET', path: '/articles', body },
      { method: 'HEAD', path: '/articles', body },
      { method: 'DELETE', path: '/articles', body },
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it('tells a missing body from an empty one', async () => {
    const device = await signedIn();
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    const path = `/articles/${article.id}`;
    const responses = await run(device, [
      { method: 'PATCH', path },
      { method: 'PATCH', path, body: {} },
      { method: 'POST', path: '/articles' },
    ]);
    expect(responses.map(({ status, body }) => [status, body.errno])).toEqual([
      [400, 108],
      [200, undefined],
      [400, 108],
    ]);
  });
});

describe('a malformed batch is answered 400 and nothing of it runs', () => {
  const get = { method: 'GET', path: '/articles' };
  it.each<[unknown, number, string]>([
    [undefined, 108, 'requests: missing'],
    [{}, 108, 'requests: missing'],
    [{ requests: null }, 108, 'requests: missing'],
    [{ requests: [{ path: '/articles' }] }, 108, 'requests.1.method: missing'],
    [{ requests: [{ method: 'GET' }] }, 108, 'requests.1.path: missing'],
    [[], 109, 'The body is not a JSON object'],
    [{ requests: 'x' }, 109, 'requests: not a list'],
    [{ requests: {} }, 109, 'requests: not a list'],
    [{ requests: [null] }, 109, 'requests.1: not an object'],
    [{ requests: [[]] }, 109, 'requests.1: not an object'],
    [{ requests: ['GET'] }, 109, 'requests.1: not an object'],
    [{ requests: [{ ...get, method: 'OPTIONS' }] }, 109, 'requests.1.method: not an allowed method'],
    [{ requests: [{ ...get, method: 'TRACE' }] }, 109, 'requests.1.method: not an allowed method'],
    [{ requests: [{ ...get, method: 5 }] }, 109, 'requests.1.method: not an allowed method'],
    [{ requests: [{ ...get, path: 'articles' }] }, 109, 'requests.1.path: has no leading slash'],
    [{ requests: [{ ...get, path: 'http://a/v2/articles' }] }, 109, 'requests.1.path: has no leading slash'],
    [{ requests: [{ ...get, path: 5 }] }, 109, 'requests.1.path: has no leading slash'],
    [{ requests: [{ ...get, body: 'x' }] }, 109, 'requests.1.body: not an object'],
    [{ requests: [{ ...get, body: [] }] }, 109, 'requests.1.body: not an object'],
    [{ requests: [{ ...get, headers: [] }] }, 109, 'requests.1.headers: not an object'],
    [{ requests: [{ ...get, headers: { a: 1 } }] }, 109, 'requests.1.headers.a: not a header value'],
    [{ requests: [{ ...get, headers: { a: 'b\r\nc: d' } }] }, 109, 'requests.1.headers.a: not a header value'],
    [{ requests: [get], defaults: 'x' }, 109, 'defaults: not an object'],
    [{ requests: [get], defaults: { body: 'x' } }, 109, 'defaults.body: not an object'],
    [{ requests: [get], defaults: { headers: { a: 1 } } }, 109, 'defaults.headers.a: not a header value'],
    [{ requests: [{ ...get, path: '/batch' }] }, 109, 'requests.1.path: a batch within a batch'],
    [{ requests: [{ ...get, path: '/v2/batch?x' }] }, 109, 'requests.1.path: a batch within a batch'],
    [{ requests: [{ ...get, path: '/batch#x' }] }, 109, 'requests.1.path: a batch within a batch'],
    [{ requests: [{ ...get, path: '/articles/../batch' }] }, 109, 'requests.1.path: a batch within a batch'],
    [{ requests: [{ ...get, path: '/%62atch' }] }, 109, 'requests.1.path: a batch within a batch'],
  ])('%j', async (sent, errno, message) => {
    const device = await signedIn();
    const requests = (sent as { requests?: unknown } | undefined)?.requests;
    const batch = Array.isArray(requests)
      ? { ...(sent as object), requests: [post(), ...(requests as unknown[])] }
      : sent;
    const test = device.post('/batch');
    const { body } = await (batch === undefined ? test : test.send(batch as object)).expect(400);
    expect(body).toMatchObject({ code: 400, errno, message });
    expect(await countOf(device)).toBe(0);
  });

  it.each([
    ['bad JSON', '{', 'application/json', 106],
    ['a form', 'requests=1', 'application/x-www-form-urlencoded', 106],
  ])('%s', async (_, text, type, errno) => {
    const { body } = await (await signedIn()).post('/batch').set('Content-Type', type).send(text).expect(400);
    expect(body.errno).toBe(errno);
  });

  it('of more than 25 requests', async () => {
    const device = await signedIn();
    const { body } = await device
      .post('/batch')
      .send({ requests: Array.from({ length: 26 }, () => post()) })
      .expect(400);
    expect(body).toMatchObject({ errno: 109, message: 'requests: more than 25 entries' });
    expect(await countOf(device)).toBe(0);
  });

  it('of more requests than configured', async () => {
    const small = await startApp({ OAUTH_URI: app.provider.issuer, BATCH_MAX_REQUESTS: '2' });
    const device = await signedIn(small.url);
    await run(device, [post(), post()]);
    const { body } = await device
      .post('/batch')
      .send({ requests: [post(), post(), post()] })
      .expect(400);
    expect(body).toMatchObject({ errno: 109, message: 'requests: more than 2 entries' });
    await small.close();
  });
});

describe('the defaults of a batch', () => {
  it('are values for all its requests, whose own values win', async () => {
    const device = await signedIn();
    const defaults = {
      method: 'POST',
      path: '/articles',
      body: { added_by: 'tv', title: 'default', unread: false },
      headers: { 'Response-Behavior': 'light' },
    };
    const responses = await run(
      device,
      [
        { body: { url: 'http://a/1' } },
        { body: { url: 'http://a/2', title: 'own', unread: true } },
        { method: 'GET', path: '/articles?_sort=url' },
        { method: 'get' },
      ],
      defaults,
    );
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 200, 200]);
    expect(responses[2]!.body.items).toMatchObject([
      { url: 'http://a/1', title: 'default', added_by: 'tv', unread: false },
      { url: 'http://a/2', title: 'own', added_by: 'tv', unread: true },
    ]);
  });

  it('may be null', async () => {
    expect(await run(await signedIn(), [{ method: 'GET', path: '/articles' }], null)).toHaveLength(1);
  });
});

describe('the headers of a request in a batch', () => {
  const patch = (id: unknown, headers?: Record<string, string>) => ({
    method: 'PATCH',
    path: `/articles/${id as string}`,
    body: { title: randomUUID() },
    headers,
  });

  it('are its own over the defaults over those of the batch', async () => {
    const device = await signedIn();
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    const sizes = (responses: Slot[]) => responses.map(({ body }) => Object.keys(body).length);
    const all = FIELD_NAMES.length;
    const own = { 'response-behavior': 'diff' };
    const requests = [patch(article.id), patch(article.id, own), patch(article.id, {})];
    expect(sizes(await run(device, requests))).toEqual([all, 0, all]);
    const light = { 'Response-Behavior': 'light' };
    expect(sizes(await run(device, requests, undefined, light))).toEqual([1, 0, 1]);
    expect(sizes(await run(device, requests, { headers: { 'RESPONSE-BEHAVIOR': 'full' } }, light))).toEqual([
      all,
      0,
      all,
    ]);
  });

  it('hold the conditions of the batch', async () => {
    const device = await signedIn();
    const [first, second] = await run(device, [post(), post()], undefined, {
      'If-Unmodified-Since': '9999999999999999',
    });
    expect([first!.status, second!.status]).toEqual([201, 201]);
    const current = String(second!.body.last_modified);
    const responses = await run(device, [post(), post()], undefined, { 'If-Unmodified-Since': current });
    expect(responses.map(({ status }) => status)).toEqual([201, 412]);
    expect(byName(responses[1]!.headers)['last-modified']).toBe(String(responses[0]!.body.last_modified as number));
  });

  it('never hold other credentials', async () => {
    const [device, other] = [await signedIn(), await signedIn()];
    const headers = { Authorization: other.authorization, AUTHORIZATION: 'Basic bWU6c2VjcmV0' };
    const [created] = await run(device, [{ ...post(), headers }], { headers });
    expect(created!.status).toBe(201);
    expect(await countOf(device)).toBe(1);
    expect(await countOf(other)).toBe(0);
  });

  it.each([
    ['Host', 'evil.example'],
    ['Content-Length', '1'],
    ['Content-Type', 'application/x-www-form-urlencoded'],
    ['Content-Encoding', 'gzip'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'close'],
    ['Expect', 'a miracle'],
  ])('never hold %s of their own', async (name, value) => {
    const device = await signedIn();
    const responses = await run(
      device,
      [{ ...post(), headers: { [name]: value } }, post(), { method: 'GET', path: '/articles?_limit=1' }],
      { headers: { [name.toLowerCase()]: value } },
    );
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 200]);
    expect(new URL(byName(responses[2]!.headers)['next-page']!).origin).toBe(app.url);
  });

  it('never hold what describes the body of the batch', async () => {
    const device = await signedIn();
    const requests = [post(), { method: 'GET', path: '/articles' }, { method: 'PATCH', path: '/articles/1' }];
    const text = gzipSync(JSON.stringify({ requests }));
    const headers = {
      Authorization: device.authorization,
      'Content-Type': 'text/plain',
      'Content-Encoding': 'gzip',
      'Content-Length': String(text.length),
    };
    const { status, body } = await exchange(app.url, 'POST', '/v2/batch', headers, text);
    expect(status).toBe(200);
    const slots = (JSON.parse(body) as { responses: Slot[] }).responses;
    expect(slots.map((slot) => slot.status)).toEqual([201, 200, 404]);
  });

  it('never hold what is about the connection of the batch', async () => {
    const device = await signedIn();
    const text = JSON.stringify({ requests: [post()] });
    const received = await sendBytes(
      app.url,
      `POST /v2/batch HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${device.authorization}\r\n` +
        `Expect: 100-continue\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
    );
    expect(received).toContain('"status":201');
  });
});

describe('a request in a batch is answered as it is alone', () => {
  it('with the same status, body and headers', async () => {
    const device = await signedIn();
    const { body: article } = await device.post('/articles').send(anArticle()).expect(201);
    // Long enough for the responses with it to be compressed, alone.
    await device
      .post('/articles')
      .send(anArticle({ excerpt: 'tea '.repeat(500) }))
      .expect(201);
    const path = `/articles/${article.id}`;
    const condition = { 'If-Modified-Since': '9999999999999' };
    const requests: { method: string; path: string; headers?: Record<string, string>; body?: object }[] = [
      { method: 'GET', path: '/articles' },
      { method: 'GET', path: '/articles?_limit=1&unread=true' },
      { method: 'HEAD', path: '/articles?_limit=1' },
      { method: 'GET', path: '/articles', headers: condition },
      { method: 'GET', path },
      { method: 'HEAD', path },
      { method: 'GET', path, headers: condition },
      { method: 'PATCH', path, body: {} },
      { method: 'PATCH', path, headers: { 'If-Unmodified-Since': '1' }, body: { title: 'x' } },
      { method: 'PATCH', path, body: { url: 'http://other/' } },
      { method: 'POST', path: '/articles', body: article as object },
      { method: 'POST', path: '/articles', body: {} },
      { method: 'DELETE', path: '/articles?title=none' },
      { method: 'DELETE', path: '/articles?_limit=1' },
      { method: 'DELETE', path: `/articles/${randomUUID()}` },
      { method: 'GET', path: '/articles/1' },
      { method: 'GET', path: '/articles/%zz' },
      { method: 'PUT', path: '/articles' },
      { method: 'GET', path: '/nothing' },
      { method: 'GET', path: '' },
      { method: 'GET', path: '/__version__' },
      { method: 'GET', path: '/acct-oauth/params' },
      { method: 'GET', path: '/acct-oauth/login' },
    ];
    const slots = await run(
      device,
      requests.map((request) => ({ ...request, path: `/v2${request.path}` })),
    );
    for (const [at, { method, path: own, headers = {}, body }] of requests.entries()) {
      const text = body && JSON.stringify(body);
      const length = { 'Content-Length': String(Buffer.byteLength(text ?? '')) };
      const all = { Authorization: device.authorization, ...length, ...headers };
      const alone = await exchange(app.url, method, `/v2${own}`, all, text);
      const { date: _, 'x-request-id': __, connection: ___, 'keep-alive': ____, ...expected } = alone.headers;
      const { date: _____, 'x-request-id': ______, connection: _______, ...received } = byName(slots[at]!.headers);
      expect(slots[at]!.status, own).toBe(alone.status);
      expect(received, own).toEqual(expected);
      expect(slots[at]!.body, own).toEqual(alone.body === '' ? {} : JSON.parse(alone.body));
    }
  });
});

describe('a condition of the batch', () => {
  const send = async (device: Client, name: string, values: string[]) => {
    const body = JSON.stringify({ requests: [post()] });
    const lines = [`Authorization: ${device.authorization}`, ...values.map((value) => `${name}: ${value}`)];
    const head = ['Host: a', 'Connection: close', `Content-Length: ${Buffer.byteLength(body)}`, ...lines];
    return exchangeBytes(app.url, `POST /v2/batch HTTP/1.1\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  };

  it.each(['If-Unmodified-Since', 'If-Modified-Since'])('is 400 / 107 when it is sent twice: %s', async (name) => {
    const device = await signedIn();
    requireNewUser(device);
    const answer = await send(device, name, ['9999999999999', '1']);
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      400,
      expect.objectContaining({ code: 400, errno: 107, error: 'Bad Request', message: `${name}: given twice` }),
    ]);
    expect(await countOf(device)).toBe(0);
  });

  it.each([[['9999999999999']], [['', '']], [['nonsense']]])('is judged by its entries: %j', async (values) => {
    expect((await send(await signedIn(), 'If-Unmodified-Since', values)).status).toBe(200);
  });
});

describe('a condition of an entry', () => {
  it.each(['If-Unmodified-Since', 'If-Modified-Since'])(
    'is 400 / 107 when it is given twice in different cases: %s',
    async (name) => {
      const device = await signedIn();
      const headers = { [name]: '9999999999999', [name.toLowerCase()]: '9999999999999' };
      const [listed, created] = await run(device, [
        { method: 'GET', path: '/articles', headers },
        { ...post(), headers },
      ]);
      for (const { status, body } of [listed!, created!]) expect([status, body.errno]).toEqual([400, 107]);
    },
  );
});

describe('a path in a batch', () => {
  it.each([
    ['/articles/..', 404, 110],
    ['/articles/%2e%2e/articles', 404, 111],
    ['/articles/./', 404, 111],
    ['/articles\\zz', 404, 111],
    ['/v2/../articles', 404, 111],
  ])('means what it means alone: %s', async (path, status, errno) => {
    requireOwnService('a load balancer may judge such a path itself');
    const device = await signedIn();
    requireNewUser(device);
    const requests = [post(), { method: 'DELETE', path }, { method: 'POST', path, body: { requests: [] } }];
    const [, removal] = await run(device, requests);
    expect([removal!.status, removal!.body.errno]).toEqual([status, errno]);
    const alone = await exchange(app.url, 'DELETE', path.replace(/^(\/v2)?/, '/v2'), {
      Authorization: device.authorization,
    });
    expect([alone.status, JSON.parse(alone.body).errno]).toEqual([status, errno]);
    expect(await countOf(device)).toBe(1);
  });

  it('keeps every character of its query', async () => {
    const device = await signedIn();
    requireNewUser(device);
    const urls = ['https://x.example/', 'https://x.example/#frag'];
    await run(
      device,
      urls.map((url) => post({ url, title: url })),
    );
    const [padded, removed] = await run(device, [
      { method: 'GET', path: '/articles?title=https://x.example/ \t' },
      { method: 'DELETE', path: '/articles?url=https://x.example/#frag' },
    ]);
    expect(padded!.body.items).toEqual([]);
    expect(removed!.body.items).toHaveLength(1);
    const { body } = await device.get('/articles').expect(200);
    expect((body.items as { url: string }[]).map(({ url }) => url)).toEqual(urls.slice(0, 1));
  });
});

describe('a strange request in a batch', () => {
  it.each([
    { headers: { 'a b': 'x' } },
    { headers: { '': 'x' } },
    { headers: { ü: '€😀' } },
    { headers: { a: 'x'.repeat(100_000) } },
    { headers: { 'if-modified-since': '€' } },
    { path: '/articles?\u0000' },
    { path: '/articles?\ud800' },
    { path: `/articles?title=${'x'.repeat(60_000)}` },
    { path: '/\\\\articles' },
    { path: '///' },
    { path: '/v2/../articles' },
    { path: '/v2/../docs' },
    { path: '/articles\n' },
    { path: '/articles#x' },
  ])('is answered like any other: %j', async (entry) => {
    const device = await signedIn();
    const requests = [{ method: 'GET', path: '/articles', ...entry }, post()];
    const [strange, plain] = await run(device, requests);
    expect(strange!.status).toBeLessThan(500);
    expect(plain!.status).toBe(201);
  });

  it('has no longer path than alone, as that could take seconds to read', async () => {
    const path = `/articles?${'_%&'.repeat(300_000)}`;
    const [strange, plain] = await run(await signedIn(), [{ method: 'GET', path }, post()]);
    expect([strange!.status, strange!.body.errno, plain!.status]).toEqual([431, 107, 201]);
  });

  it('has no longer headers than alone, as those could take as long', async () => {
    const headers = { cookie: 'login-aaaaaaaaaaaaaaaa=;'.repeat(4_000) };
    const entry = { method: 'GET', path: '/acct-oauth/token?code=a&state=aaaaaaaaaaaaaaaa', headers };
    const [strange, plain] = await run(await signedIn(), [entry, post()]);
    expect([strange!.status, strange!.body.errno, plain!.status]).toEqual([431, 107, 201]);
  });

  it('may have as many headers as allowed, as may all others, and takes others little time', async () => {
    const requests = Array.from({ length: 25 }, (_, entry) => ({
      method: 'GET',
      path: '/',
      headers: Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`h${entry}-${at}`, 'x'])),
    }));
    const device = await signedIn();
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const begun = process.cpuUsage();
      expect(new Set((await run(device, requests)).map(({ status }) => status))).toEqual(new Set([200]));
      const { user, system } = process.cpuUsage(begun);
      times.push((user + system) / 1_000);
    }
    // Of this process, as others run beside it. Half a second if adding a header took a time in proportion to those there are.
    expect(Math.min(...times)).toBeLessThan(300);
  });
});

describe('when something breaks', () => {
  it('a defect is 500 / 999 in the slots of those it hits', async () => {
    const broken = await startApp({ OAUTH_URI: app.provider.issuer });
    const device = await signedIn(broken.url);
    await broken.database.onSession((session) => session.run('ALTER TABLE articles RENAME COLUMN excerpt TO gone', []));
    const responses = await run(device, [
      { method: 'GET', path: '/' },
      { method: 'GET', path: '/articles' },
      { method: 'GET', path: '/' },
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 500, 200]);
    expect(responses[1]!.body).toEqual({
      code: 500,
      errno: 999,
      error: 'Internal Server Error',
      info: expect.stringMatching(/\/errors#999$/) as string,
      message: expect.any(String),
    });
    await broken.close();
  });

  // Elsewhere nobody can lock the whole database.
  if (process.env.TEST_DATABASE === 'sqlite')
    it(
      'a file that another process keeps locked is 503 / 201 within ten seconds, and nothing of the batch happens',
      { timeout: 30_000 },
      async () => {
        const database = await createTestDatabase();
        const locked = await startApp({ OAUTH_URI: app.provider.issuer }, database);
        const device = await signedIn(locked.url);
        await countOf(device);
        const other = new Sqlite(database.url.replace('sqlite:', ''));
        other.exec('BEGIN IMMEDIATE');
        const get = { method: 'GET', path: '/articles' };
        const start = performance.now();
        const requests = [get, ...Array.from({ length: 9 }, () => post()), get];
        const { body, headers } = await device.post('/batch').send({ requests }).expect(503);
        expect(performance.now() - start).toBeLessThan(10_000);
        expect([body.code, body.errno, headers['retry-after']]).toEqual([503, 201, '30']);
        expect(await countOf(device)).toBe(0);
        other.exec('ROLLBACK');
        other.close();
        expect((await run(device, [post(), get])).map(({ status }) => status)).toEqual([201, 200]);
        await locked.close();
        await database.drop();
      },
    );

  it('a database that is away is 503 / 201 with Retry-After, where it is needed', async () => {
    const lonely = await startApp({ OAUTH_URI: app.provider.issuer, DATABASE_URL: 'mysql://root@127.0.0.1:1/none' });
    const device = await signedIn(lonely.url);
    const root = { method: 'GET', path: '/' };
    const requests = [root, post()];
    const { body, headers } = await device.post('/batch').send({ requests }).expect(503);
    expect([body.code, body.errno, headers['retry-after']]).toEqual([503, 201, '30']);
    expect((await run(device, [root])).map(({ status }) => status)).toEqual([200]);
    const all = { method: 'DELETE', path: '/articles' };
    await device
      .post('/batch')
      .send({ requests: [root, all, post()] })
      .expect(503);
    await lonely.close();
  });
});

it('is compressed as a whole for who accepts it, and none of its entries', async () => {
  const device = await signedIn();
  await device.post('/articles').send(anArticle({ excerpt: 'tea '.repeat(2_000) }));
  const body = JSON.stringify({ requests: [{ method: 'GET', path: '/articles' }] });
  const headers = { Authorization: device.authorization, 'Content-Length': String(body.length), Connection: 'close' };
  const lines = Object.entries({ Host: 'x', 'Accept-Encoding': 'gzip', ...headers }).map((pair) => pair.join(': '));
  const received = await sendBytes(app.url, `POST /v2/batch HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  const [head, ...rest] = received.split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 200 .*\r\nContent-Encoding: gzip(\r\n|$)/s);
  const plain = gunzipSync(Buffer.from(rest.join('\r\n\r\n'), 'latin1')).toString();
  const { responses } = JSON.parse(plain) as { responses: [Slot] };
  expect(Object.keys(byName(responses[0].headers))).not.toContain('content-encoding');
  expect(responses[0].body.items).toHaveLength(1);
});

describe('where a request comes from', () => {
  const forged = {
    'X-Forwarded-For': '192.0.2.1',
    'X-Forwarded-Proto': 'javascript',
    'X-Forwarded-Host': 'evil.example',
    Forwarded: 'for=192.0.2.1;proto=https',
    'X-Real-IP': '192.0.2.1',
    'X-Request-Id': 'forged',
    Prefer: 'wait=30',
  };

  it('is said by the batch, not by its entries or defaults', async () => {
    const proxied = await startAppWithProvider({ TRUST_PROXY: 'loopback' });
    const device = clientWith(proxied.url, `Bearer ${await proxied.issue(randomUUID())}`);
    await run(device, [post(), post()]);
    const entry = { method: 'GET', path: '/articles?_limit=1', headers: forged };
    const sent = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'list.example.com', 'X-Request-Id': 'batch-1' };
    const slots = await run(device, [entry, entry], { headers: forged }, sent);
    for (const { status, headers } of slots) {
      expect([status, byName(headers)['x-request-id']]).toEqual([200, 'batch-1']);
      expect(byName(headers)['next-page']).toMatch(/^https:\/\/list\.example\.com\/v2\/articles\?/);
    }
    await proxied.close();
  });

  it('counts for the limit of the address that the batch came from', async () => {
    const proxied = await startAppWithProvider({ TRUST_PROXY: 'loopback', RATE_LIMIT_PER_MINUTE: '3' });
    const device = clientWith(proxied.url, `Bearer ${await proxied.issue(randomUUID())}`);
    const entry = (at: number) => ({ method: 'GET', path: '/', headers: { 'X-Forwarded-For': `192.0.2.${at}` } });
    const slots = await run(device, [entry(1), entry(2), entry(3), entry(4), entry(5), entry(6)]);
    expect(slots.map(({ status }) => status)).toContain(429);
    await proxied.close();
  });
});
