import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { clientWith } from '../support/client.js';
import { exchange, exchangeBytes, openSocket } from './raw-http.js';

const BEARER = 'Bearer realm="reading list"';
const BASIC = 'Basic realm="reading list", charset="UTF-8"';
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const basicBytes = (...bytes: number[]): string => `Basic ${Buffer.from(bytes).toString('base64')}`;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ BASIC_AUTH_ENABLED: 'true' });
});
afterAll(() => app?.close());

describe('no usable credentials are answered 401 / 104', () => {
  it.each([
    '',
    ' ',
    'Basic',
    'Basic ',
    'Bearer',
    'Bearer ',
    'Digest username="me"',
    'Negotiate abc',
    'Token abc',
    'Basic64 bWU6c2VjcmV0',
    'bWU6c2VjcmV0',
  ])('%j', async (authorization) => {
    const { body, headers } = await clientWith(app.url, authorization).get('/articles').expect(401);
    expect(body).toMatchObject({ code: 401, errno: 104, error: 'Unauthorized', message: 'Authorization is required' });
    expect(headers['www-authenticate']).toBe(`${BEARER}, ${BASIC}`);
  });

  it('without the header', async () => {
    const { status, body } = await exchange(app.url, 'GET', '/v2/articles');
    expect([status, JSON.parse(body).errno]).toEqual([401, 104]);
  });

  it.each(['?access_token=abc', '?authorization=Basic%20bWU6c2VjcmV0'])('in the query string: %s', async (query) => {
    const { status, body } = await exchange(app.url, 'GET', `/v2/articles${query}`);
    expect([status, JSON.parse(body).errno]).toEqual([401, 104]);
  });

  it('in a cookie or in the body', async () => {
    const headers = { Cookie: 'access_token=abc', 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, body } = await exchange(app.url, 'POST', '/v2/articles', headers, 'access_token=abc');
    expect([status, JSON.parse(body).errno]).toEqual([401, 104]);
  });
});

describe('refused credentials are answered 401 / 105', () => {
  it.each([
    basic(':secret'),
    basic(':'),
    basic('no colon'),
    basic('nul\0:secret'),
    basic('nul:\0'),
    basicBytes(0xe9, 0x3a, 0x61),
    basicBytes(0xe8, 0x3a, 0x61),
    basicBytes(0x61, 0x3a, 0xff),
    basicBytes(0x3a, 0xff),
    'Basic !!!',
    'Basic x',
    'Basic bWU6c2Vj$cmV0',
    'Bearer a b',
    'Bearer ä',
  ])('%j', async (authorization) => {
    const { status, headers, body } = await exchangeBytes(
      app.url,
      Buffer.from(
        `GET /v2/articles HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: ${authorization}\r\n\r\n`,
      ),
    );
    expect([status, JSON.parse(body).errno]).toEqual([401, 105]);
    expect(headers['www-authenticate']).toBe(`${BEARER}, error="invalid_token", ${BASIC}`);
  });
});

describe('Basic credentials open the list', () => {
  it.each([
    'me:secret',
    'me:',
    'me:with:colons:',
    'jürgen:pässwörd ✓',
    'me@example.com:secret',
    `${'a'.repeat(1000)}:${'b'.repeat(1000)}`,
  ])('%s', async (credentials) => {
    const device = clientWith(app.url, basic(randomUUID() + credentials));
    const { body } = await device.post('/articles').send(anArticle()).expect(201);
    expect((await device.get('/articles').expect(200)).body.items).toEqual([body]);
  });

  it.each(['basic', 'BASIC', ' Basic', 'Basic  ', 'Basic \t'])(
    'whatever the spelling of the scheme: %j',
    async (scheme) => {
      const credentials = basic(`${randomUUID()}:secret`).slice('Basic '.length);
      const device = clientWith(app.url, `Basic ${credentials}`);
      const { body } = await device.post('/articles').send(anArticle()).expect(201);
      const other = clientWith(app.url, `${scheme} ${credentials}`);
      expect((await other.get('/articles').expect(200)).body.items).toEqual([body]);
    },
  );

  it.each([
    ['two ways to write a letter', '\u00e9', 'e\u0301'],
    ['a byte order mark', '\uFEFFme', 'me'],
    ['blanks', 'me ', 'me'],
    ['case', 'Me', 'me'],
    ['a control character', 'me\u0001', 'me'],
  ])('of another user where names differ by %s', async (_, one, other) => {
    const password = randomUUID();
    await clientWith(app.url, basic(`${one}:${password}`))
      .post('/articles')
      .send(anArticle())
      .expect(201);
    const { body } = await clientWith(app.url, basic(`${other}:${password}`))
      .get('/articles')
      .expect(200);
    expect(body.items).toEqual([]);
  });

  it('but not the batch', async () => {
    const device = clientWith(app.url, basic(`${randomUUID()}:secret`));
    const { body, headers } = await device.post('/batch').send({ requests: [] }).expect(401);
    expect(body).toMatchObject({ code: 401, errno: 104 });
    expect(headers['www-authenticate']).toBe(BEARER);
  });
});

describe('authentication comes first', () => {
  it.each([
    ['a wrong parameter', 'GET', '/v2/articles?colour=red', {}, ''],
    ['a wrong condition', 'GET', '/v2/articles', { 'If-Modified-Since': 'x' }, ''],
    ['an id that is not a UUID', 'GET', '/v2/articles/1', {}, ''],
    ['an unknown record', 'DELETE', `/v2/articles/${randomUUID()}`, {}, ''],
    ['bad JSON', 'POST', '/v2/articles', { 'Content-Length': '1' }, '{'],
    ['a form', 'POST', '/v2/articles', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=b'],
    ['a missing length', 'POST', '/v2/articles', { 'Transfer-Encoding': 'chunked' }, '{}'],
    ['an empty body', 'PATCH', `/v2/articles/${randomUUID()}`, {}, ''],
    ['a batch', 'POST', '/v2/batch', {}, '{}'],
  ])('before %s', async (_, method, path, headers, body) => {
    const answer = await exchange(app.url, method, path, headers, body);
    expect([answer.status, JSON.parse(answer.body).errno]).toEqual([401, 104]);
  });

  it('before a body that is too large, of which not a byte is read', async () => {
    const head = 'POST /v2/articles HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000000000\r\n\r\n';
    const socket = await openSocket(app.url);
    const received = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write(head);
    expect(await received).toMatch(/^HTTP\/1\.1 401 /);
    socket.destroy();
  });

  it.each([
    ['an unknown path', 'GET', '/v2/nothing', 404, 111],
    ['an old version', 'GET', '/v1/articles', 410, 202],
    ['a verb that the path never has', 'PUT', '/v2/articles', 405, 115],
    ['a verb that the path never has', 'GET', '/v2/batch', 405, 115],
  ])('after %s', async (_, method, path, status, errno) => {
    const answer = await exchange(app.url, method, path);
    expect([answer.status, JSON.parse(answer.body).errno]).toEqual([status, errno]);
  });

  it.each([
    ['OPTIONS', '/v2/articles', 204],
    ['GET', '/', 307],
    ['GET', '/v2', 200],
    ['GET', '/v2/', 200],
    ['POST', '/articles', 307],
    ['GET', '/__heartbeat__', 200],
    ['GET', '/__lbheartbeat__', 200],
    ['GET', '/__version__', 200],
  ])('is not asked for by %s %s', async (method, path, status) => {
    expect((await exchange(app.url, method, path)).status).toBe(status);
  });
});

describe('with Basic disabled', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startApp({ BASIC_AUTH_ENABLED: 'false', SERVICE_NAME: 'My lists' });
  });
  afterAll(() => strict.close());

  it.each([basic('me:secret'), basic(':'), 'Basic x', ''])(
    '%j is answered 401 / 104 without a Basic challenge',
    async (value) => {
      const { body, headers } = await clientWith(strict.url, value).get('/articles').expect(401);
      expect(body).toMatchObject({ code: 401, errno: 104 });
      expect(headers['www-authenticate']).toBe('Bearer realm="My lists"');
    },
  );

  it('a refused token is answered 401 / 105 without a Basic challenge', async () => {
    const { body, headers } = await clientWith(strict.url, 'Bearer a b').get('/articles').expect(401);
    expect(body).toMatchObject({ code: 401, errno: 105 });
    expect(headers['www-authenticate']).toBe('Bearer realm="My lists", error="invalid_token"');
  });
});

describe('with another secret', () => {
  let other: TestApp;
  beforeAll(async () => {
    other = await startApp({ USER_ID_SECRET: 'another secret', SESSION_SECRET: 'another secret' });
  });
  afterAll(() => other.close());

  it('page tokens of one service are refused by the other', async () => {
    const credentials = basic(`${randomUUID()}:secret`);
    for (const url of [app.url, other.url])
      for (let at = 0; at < 2; at++) await clientWith(url, credentials).post('/articles').send(anArticle()).expect(201);
    const { headers } = await clientWith(app.url, credentials).get('/articles?_limit=1').expect(200);
    const next = `/articles${new URL(headers['next-page']!).search}`;
    await clientWith(app.url, credentials).get(next).expect(200);
    await clientWith(other.url, credentials).get(next).expect(400);
  });
});
