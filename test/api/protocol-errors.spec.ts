import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, type Client, requireOwnService } from '../support/client.js';
import { exchange, exchangeBytes, openSocket, parseAnswer, sendBytes } from './raw-http.js';

const ID = '00000000-0000-4000-8000-000000000000';
const MAX_BODY = 2_097_152;

let app: TestApp;
let device: Client;
beforeAll(async () => {
  app = await startApp();
  device = client(app.url);
});
afterAll(() => app.close());
/** Whatever was sent, the service goes on serving. */
afterEach(async () => {
  expect((await exchange(app.url, 'GET', '/v2')).status).toBe(200);
});

const authorized = (headers: Record<string, string> = {}): Record<string, string> => ({
  Authorization: device.authorization,
  ...headers,
});
const head = (line: string, ...headers: string[]): string =>
  [`${line} HTTP/1.1`, 'Host: a', 'Connection: close', ...headers, '', ''].join('\r\n');

describe('a body that is not JSON is answered 400 / 106', () => {
  it.each([
    '{',
    '{"url": "http://a/",}',
    "{'url': 'http://a/'}",
    '{url: 1}',
    'undefined',
    'NaN',
    'url=http://a/',
    '<article/>',
    '{} {}',
    '"\u0001"',
    '\u0000',
    '[',
    '--',
  ])('%j', async (text) => {
    const post = device.post('/articles').set('Content-Type', 'application/json').send(text);
    const { body } = await post.expect(400);
    expect(body).toMatchObject({ code: 400, errno: 106, error: 'Bad Request', message: 'The body is not valid JSON' });
    await device.patch(`/articles/${ID}`).set('Content-Type', 'application/json').send(text).expect(400);
  });

  it.each([
    'application/x-www-form-urlencoded',
    'APPLICATION/X-WWW-FORM-URLENCODED; charset=utf-8',
    'multipart/form-data; boundary=x',
    'multipart/mixed',
  ])('when it is sent as %s, whatever it holds', async (type) => {
    const text = JSON.stringify(anArticle());
    const headers = authorized({ 'Content-Type': type, 'Content-Length': String(text.length) });
    const { status, body } = await exchange(app.url, 'POST', '/v2/articles', headers, text);
    expect([status, JSON.parse(body).errno]).toEqual([400, 106]);
  });

  it('when it is said to be compressed and is not', async () => {
    for (const encoding of ['gzip', 'br', 'deflate', 'nonsense']) {
      const headers = authorized({ 'Content-Encoding': encoding, 'Content-Length': '2' });
      const { status, body } = await exchange(app.url, 'POST', '/v2/articles', headers, '{}');
      expect([status, JSON.parse(body).errno]).toEqual([400, 106]);
    }
  });

  it('when it is compressed JSON cut short', async () => {
    const text = gzipSync(JSON.stringify(anArticle())).subarray(0, 20);
    const headers = authorized({ 'Content-Encoding': 'gzip', 'Content-Length': String(text.length) });
    const { status, body } = await exchange(app.url, 'POST', '/v2/articles', headers, text);
    expect([status, JSON.parse(body).errno]).toEqual([400, 106]);
  });
});

it('takes a body of a type whose name only begins like that of a form', async () => {
  const text = JSON.stringify(anArticle());
  const type = 'application/x-www-form-urlencoded+json';
  const headers = authorized({ 'Content-Type': type, 'Content-Length': String(text.length) });
  expect((await exchange(app.url, 'POST', '/v2/articles', headers, text)).status).toBe(201);
});

it('an empty body that is said to be compressed takes no memory from others', async () => {
  const headers = authorized({ 'Content-Encoding': 'br', 'Content-Length': '0' });
  const empty = await Promise.all([1, 2].map(() => exchange(app.url, 'POST', '/v2/articles', headers)));
  expect(empty.map(({ status }) => status)).toEqual([400, 400]);
  const text = JSON.stringify(anArticle()).padEnd(100_000);
  const large = authorized({ 'Content-Length': String(text.length) });
  expect((await exchange(app.url, 'POST', '/v2/articles', large, text)).status).toBe(201);
});

it('takes a compressed body', async () => {
  const text = gzipSync(JSON.stringify(anArticle({ title: 'compressed' })));
  const headers = authorized({ 'Content-Encoding': 'gzip', 'Content-Length': String(text.length) });
  const { status, body } = await exchange(app.url, 'POST', '/v2/articles', headers, text);
  expect([status, JSON.parse(body).title]).toEqual([201, 'compressed']);
});

describe('a body without length is answered 411 / 112', () => {
  it.each([
    ['POST', '/v2/articles'],
    ['PATCH', `/v2/articles/${ID}`],
  ])('on %s %s', async (method, path) => {
    const headers = authorized({ 'Transfer-Encoding': 'chunked' });
    const { status, body } = await exchange(app.url, method, path, headers, '{}');
    expect(status).toBe(411);
    expect(JSON.parse(body)).toMatchObject({ code: 411, errno: 112, message: 'Content-Length is required' });
  });

  it.each([
    ['GET', '/v2/articles', 200],
    ['HEAD', '/v2/articles', 200],
    ['DELETE', '/v2/articles', 200],
    ['DELETE', `/v2/articles/${ID}`, 404],
    ['PUT', '/v2/articles', 405],
    ['POST', '/v2/nothing', 404],
    ['POST', '/articles', 307],
  ])('but not on %s %s, where no body is expected', async (method, path, status) => {
    const headers = authorized({ 'Transfer-Encoding': 'chunked' });
    expect((await exchange(app.url, method, path, headers, '{not json')).status).toBe(status);
  });
});

describe('a body beyond the limit is answered 413 / 113', () => {
  const bodyOf = (bytes: number): string => {
    const empty = JSON.stringify(anArticle({ excerpt: '' }));
    return JSON.stringify({ ...JSON.parse(empty), excerpt: 'x'.repeat(bytes - empty.length) });
  };

  it('but not at the limit', async () => {
    const text = bodyOf(MAX_BODY);
    const headers = authorized({ 'Content-Length': String(MAX_BODY) });
    expect((await exchange(app.url, 'POST', '/v2/articles', headers, text)).status).toBe(201);
  });

  it('one byte further', async () => {
    const headers = authorized({ 'Content-Length': String(MAX_BODY + 1) });
    const { status, body } = await exchange(app.url, 'POST', '/v2/articles', headers, bodyOf(MAX_BODY + 1));
    expect(status).toBe(413);
    expect(JSON.parse(body)).toEqual({
      code: 413,
      errno: 113,
      error: 'Payload Too Large',
      info: expect.stringMatching(/\/errors#113$/) as string,
      message: 'The body is larger than 2097152 bytes',
    });
  });

  it.each(['1000000000', '9007199254740993'])('at once when %s bytes are announced', async (length) => {
    const socket = await openSocket(app.url);
    const received = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    socket.write(head('POST /v2/articles', `Authorization: ${device.authorization}`, `Content-Length: ${length}`));
    expect(parseAnswer(await received)).toMatchObject({ status: 413 });
    socket.destroy();
  });

  it('when a small body unpacks to more', async () => {
    const text = gzipSync(bodyOf(20 * MAX_BODY));
    const headers = authorized({ 'Content-Encoding': 'gzip', 'Content-Length': String(text.length) });
    const { status, body } = await exchange(app.url, 'POST', '/v2/articles', headers, text);
    expect([status, JSON.parse(body).errno]).toEqual([413, 113]);
  });

  it('by the configured limit', async () => {
    const small = await startApp({ MAX_BODY_BYTES: '300' });
    const other = client(small.url);
    await other.post('/articles').send(anArticle()).expect(201);
    const { body } = await other
      .post('/articles')
      .send(anArticle({ excerpt: 'x'.repeat(300) }))
      .expect(413);
    expect(body.message).toBe('The body is larger than 300 bytes');
    await small.close();
  });
});

describe('another verb is answered 405 / 115 with what is allowed', () => {
  const allowed: [string, string][] = [
    ['/', 'GET, HEAD'],
    ['/v2', 'GET, HEAD'],
    ['/v2/', 'GET, HEAD'],
    ['/__heartbeat__', 'GET, HEAD'],
    ['/v2/__heartbeat__', 'GET, HEAD'],
    ['/__lbheartbeat__', 'GET, HEAD'],
    ['/v2/__lbheartbeat__', 'GET, HEAD'],
    ['/__version__', 'GET, HEAD'],
    ['/v2/__version__', 'GET, HEAD'],
    ['/docs', 'GET, HEAD'],
    ['/docs/initializer.js', 'GET, HEAD'],
    ['/v2/openapi.json', 'GET, HEAD'],
    ['/v2/acct-oauth/params', 'GET, HEAD'],
    ['/v2/acct-oauth/login', 'GET, HEAD'],
    ['/v2/acct-oauth/token', 'GET, HEAD'],
    ['/v2/articles', 'DELETE, GET, HEAD, POST'],
    [`/v2/articles/${ID}`, 'DELETE, GET, HEAD, PATCH'],
    ['/v2/articles/1', 'DELETE, GET, HEAD, PATCH'],
    ['/v2/batch', 'POST'],
  ];
  const verbs = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND', 'REPORT', 'QUERY', 'PURGE'];

  it.each(allowed)('%s: %s', async (path, allow) => {
    for (const method of verbs.filter((verb) => !allow.split(', ').includes(verb))) {
      const { status, headers, body } = await exchange(app.url, method, path, authorized({ 'Content-Length': '0' }));
      expect([method, status]).toEqual([method, 405]);
      expect(headers.allow).toBe(allow);
      if (method !== 'HEAD')
        expect(JSON.parse(body)).toEqual({
          code: 405,
          errno: 115,
          error: 'Method Not Allowed',
          info: expect.stringMatching(/\/errors#115$/) as string,
          message: `${method}: not allowed here`,
        });
    }
  });
});

describe('below a folder of files', () => {
  it.each(['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])('%s of what is not a file is 404 / 111', async (method) => {
    for (const path of ['/docs/nope', '/docs/no/such/file', '/docs/..%2fpackage.json', '/docs/constructor']) {
      const { status, body } = await exchange(app.url, method, path, { 'Content-Length': '0' });
      expect([path, status]).toEqual([path, 404]);
      if (method !== 'HEAD') expect(JSON.parse(body)).toMatchObject({ code: 404, errno: 111 });
    }
  });

  it('other methods of a file are 405 / 115', async () => {
    const { status, headers } = await exchange(app.url, 'POST', '/docs/swagger-ui.css', { 'Content-Length': '0' });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('paths are exact', () => {
  it.each([
    ['/v2/articles/'],
    [`/v2/articles/${ID}/`],
    [`/v2/articles/${ID}/x`],
    ['/v2//articles'],
    ['/v2/articles//'],
    ['/v2/Articles'],
    ['/v2/ARTICLES'],
    ['/v2/batch/'],
    ['/v2/Batch'],
    ['/v2/__heartbeat__/'],
    ['/v2/__Heartbeat__'],
    ['/v2/article'],
    ['/v2/articles.json'],
    ['/v2/acct-oauth'],
    ['/v2/acct-oauth/'],
    ['/v2/ACCT-oauth/params'],
    ['/v2/other-oauth/params'],
    ['/v2/v2/articles'],
    ['/v2/../v2/articles'],
    ['/v2/./articles'],
    ['/v2/%61rticles/'],
    ['/v2/articles%2F'],
    ['/v2/articles;x=1'],
    ['/v2/%'],
    ['/v2/%zz'],
    ['/v2/%00'],
    ['/v2/favicon.ico'],
  ])('%s is answered 404 / 111', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      const { status, body } = await exchange(app.url, method, path, authorized({ 'Content-Length': '0' }));
      expect([method, status, JSON.parse(body).errno]).toEqual([method, 404, 111]);
    }
  });

  it.each([
    '/v0',
    '/v1',
    '/v0/',
    '/v1/',
    '/v1/articles',
    '/v0/articles/1',
    '/v1/batch',
    '/v1/__heartbeat__',
    '/v1/%zz',
    '/v1?a',
  ])('%s is of an old version: 410 / 202', async (path) => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, body } = await exchange(app.url, method, path, { 'Content-Length': '0' });
      expect(status).toBe(410);
      expect(JSON.parse(body)).toMatchObject({ code: 410, errno: 202, error: 'Gone' });
    }
  });
});

describe('a path without version is redirected with 307', () => {
  it.each([
    '/articles',
    '/articles?unread=true&_sort=-title&title=%20',
    `/articles/${ID}`,
    '/batch',
    '/nothing',
    '/articles/',
    '/acct-oauth/params',
    '/v3/articles',
    '/V2/articles',
    '/v2x',
    '/v10/articles',
    '/favicon.ico',
    '/%zz',
    '/x?a=b',
    '/a/../b',
    '//evil.example/x',
    '/\\evil.example',
  ])('%s', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers } = await exchange(app.url, method, path, { 'Content-Length': '0' });
      expect(status).toBe(307);
      expect(headers.location).toBe(`${app.url}/v2${path}`);
    }
  });

  it('keeps method, body and query for whoever follows it', async () => {
    const body = JSON.stringify(anArticle({ title: 'moved' }));
    const created = await fetch(`${app.url}/articles`, { method: 'POST', headers: authorized(), body });
    expect([created.status, created.redirected]).toEqual([201, true]);
    const item = (await created.json()) as { id: string; title: string };
    expect(item.title).toBe('moved');
    const listed = await fetch(`${app.url}/articles?id=${item.id}`, { headers: authorized() });
    expect(await listed.json()).toEqual({ items: [item] });
    const patched = await fetch(`${app.url}/articles/${item.id}`, {
      method: 'PATCH',
      headers: authorized(),
      body: '{}',
    });
    expect([patched.status, await patched.json()]).toEqual([200, item]);
    expect((await fetch(`${app.url}/articles/${item.id}`, { method: 'DELETE', headers: authorized() })).status).toBe(
      200,
    );
  });
});

describe('what is not HTTP is answered 400 / 107', () => {
  it.each([
    ['nonsense', 'nonsense\r\n\r\n'],
    ['a TLS handshake', Buffer.from('16030100a5010000a1030300', 'hex')],
    ['another version', 'GET /v2 HTTP/9.9\r\nHost: a\r\n\r\n'],
    ['HTTP/2 in the clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown verb', 'FROB /v2 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a verb in lower case', 'get /v2 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a header without colon', 'GET /v2 HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n'],
    ['a blank before the colon', 'GET /v2 HTTP/1.1\r\nHost : a\r\n\r\n'],
    ['a control character in a header', 'GET /v2 HTTP/1.1\r\nHost: a\r\nX: a\u0000b\r\n\r\n'],
    ['two lengths', 'POST /v2/articles HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    ['a negative length', 'POST /v2/articles HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n'],
    ['a length in words', 'POST /v2/articles HTTP/1.1\r\nHost: a\r\nContent-Length: ten\r\n\r\n'],
    [
      'a length beyond 64 bits',
      'POST /v2/articles HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n',
    ],
    [
      'a length beside chunks',
      'POST /v2/articles HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['an unknown encoding', 'POST /v2/articles HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: nonsense\r\n\r\n'],
    ['a missing Host', 'GET /v2 HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['a path without slash', 'GET v2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['an asterisk', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['an address of another scheme', 'GET ftp://a/v2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    const { status, headers, body } = await exchangeBytes(app.url, bytes);
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toMatchObject({ code: 400, errno: 107, error: 'Bad Request' });
  });

  it.each([
    ['without credentials', 'GET /v2/articles', 401],
    ['that needs no body', 'GET /v2', 200],
  ])('a wrong chunk behind the response brings no second one: to a request %s', async (_, line, status) => {
    requireOwnService('what is in front of it judges the chunk itself');
    const socket = await openSocket(app.url);
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write(head(line, 'Transfer-Encoding: chunked'));
    await expect.poll(() => received).toContain('\r\n\r\n');
    socket.write('zz\r\n');
    await once(socket, 'close');
    expect([...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, each]) => Number(each))).toEqual([status]);
  });

  it('a wrong chunk in the body of a request that needs none is the end of the connection', async () => {
    const bytes = head('DELETE /v2/articles', `Authorization: ${device.authorization}`, 'Transfer-Encoding: chunked');
    const received = await sendBytes(app.url, `${bytes}zz\r\n`);
    expect(received).toMatch(/^HTTP\/1\.1 (200|400) |^$/);
  });
});

describe('other ways to speak HTTP', () => {
  it('version 1.0 without Host is served', async () => {
    const { status, body } = await exchangeBytes(app.url, 'GET /v2 HTTP/1.0\r\n\r\n');
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ url: 'http://localhost/v2' });
  });

  it('an absolute address is cut to its path', async () => {
    const request = (path: string) =>
      exchangeBytes(app.url, head(`GET http://other.example${path}`, `Authorization: ${device.authorization}`));
    const { status, headers } = await request('/v2/articles?_limit=1');
    expect(status).toBe(200);
    expect(headers['access-control-expose-headers']).toContain('Total-Records');
    expect((await request('')).status).toBe(307);
    expect((await request('?_limit=1')).status).toBe(307);
    for (const path of ['/v2/x/../articles', '/v2/%2e/articles', '/v2\\articles/'])
      expect([path, (await request(path)).status]).toEqual([path, (await exchange(app.url, 'GET', path)).status]);
  });

  it('a # belongs to the query, also in the URL of the next page, and ends a path', async () => {
    const user = client(app.url);
    const get = (path: string) => exchangeBytes(app.url, head(`GET ${path}`, `Authorization: ${user.authorization}`));
    const titlesOf = ({ body }: { body: string }) =>
      (JSON.parse(body) as { items: { title: string }[] }).items.map(({ title }) => title);
    for (const title of ['a#b', 'a#b', 'a']) await user.post('/articles').send(anArticle({ title })).expect(201);
    const first = await get('/v2/articles?title=a#b&_limit=1');
    expect([titlesOf(first), first.headers['total-records']]).toEqual([['a#b'], '2']);
    const { pathname, search } = new URL(first.headers['next-page']!);
    const second = await get(pathname + search);
    expect([titlesOf(second), second.headers['next-page']]).toEqual([['a#b'], undefined]);
    expect((await get('/v2/__version__#x')).status).toBe(200);
    expect((await get('/v2\\__version__#x')).status).toBe(307);
  });

  it('CONNECT is answered 405 / 115', async () => {
    const { status, headers, body } = await exchangeBytes(
      app.url,
      'CONNECT example.com:443 HTTP/1.1\r\nHost: a\r\n\r\n',
    );
    expect(status).toBe(405);
    expect(headers).toHaveProperty('allow');
    expect(JSON.parse(body)).toMatchObject({ code: 405, errno: 115 });
  });

  it('an Upgrade is ignored, and ends the connection: what is sent behind it may be lost', async () => {
    const bytes = 'GET /v2 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const { status, headers } = await exchangeBytes(app.url, bytes);
    expect(status).toBe(200);
    expect(headers).toMatchObject({ connection: 'close' });
  });

  it('an Upgrade that is not meant for this connection ends nothing', async () => {
    const first = 'GET /v2 HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n';
    const received = await sendBytes(app.url, first + head('GET /v2'));
    expect(received.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });

  it('Expect: 100-continue is told to go on, and the body is taken', async () => {
    const text = JSON.stringify(anArticle());
    const received = await sendBytes(
      app.url,
      head(
        'POST /v2/articles',
        `Authorization: ${device.authorization}`,
        'Expect: 100-continue',
        `Content-Length: ${text.length}`,
      ) + text,
    );
    expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  it.each([
    ['without credentials', '2', '', 401],
    ['of too many bytes', String(MAX_BODY + 1), 'yes', 413],
  ])('Expect: 100-continue %s is refused at once', async (_, length, isAuthorized, status) => {
    const socket = await openSocket(app.url);
    const received = new Promise<string>((resolve) => socket.once('data', (data) => resolve(String(data))));
    const authorization = isAuthorized ? [`Authorization: ${device.authorization}`] : [];
    socket.write(head('POST /v2/articles', ...authorization, 'Expect: 100-continue', `Content-Length: ${length}`));
    expect(parseAnswer(await received).status).toBe(status);
    socket.destroy();
  });

  it('any other expectation is answered 417', async () => {
    const { status, body } = await exchange(app.url, 'GET', '/v2', { Expect: '200-ok' });
    expect([status, JSON.parse(body).code]).toEqual([417, 417]);
  });

  it('several requests on one connection are answered in order', async () => {
    const bytes =
      `GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n` + `GET /v2/articles HTTP/1.1\r\nHost: a\r\n\r\n` + head('GET /v2/nothing');
    const received = await sendBytes(app.url, bytes);
    expect([...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(['200', '401', '404']);
  });

  it('the connection serves on after an error whose body was not read', async () => {
    const text = 'x'.repeat(1000);
    const bytes =
      `POST /v2/articles HTTP/1.1\r\nHost: a\r\nContent-Length: ${text.length}\r\n\r\n${text}` + head('GET /v2');
    const received = await sendBytes(app.url, bytes);
    expect([...received.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(['401', '200']);
  });
});

describe('headers', () => {
  it.each([
    ['one header', `X-Large: ${'x'.repeat(70_000)}`],
    ['many headers', Array.from({ length: 5000 }, (_, at) => `X-${at}: ${'x'.repeat(20)}`).join('\r\n')],
    ['a cookie', `Cookie: ${'x'.repeat(100_000)}`],
    ['a list of media types', `Accept: ${'a/b,'.repeat(1_025)}`],
    ['a list of encodings', `Accept-Encoding: ${'a,b,'.repeat(1_025)}`],
  ])('that are too large are answered 431: %s', async (_, lines) => {
    const { status, body } = await exchangeBytes(app.url, head('GET /v2', lines));
    expect(status).toBe(431);
    expect(JSON.parse(body)).toMatchObject({ code: 431, errno: 107, error: 'Request Header Fields Too Large' });
  });

  it('with an address that is too long are answered 431', async () => {
    expect((await exchangeBytes(app.url, head(`GET /v2?${'x'.repeat(70_000)}`))).status).toBe(431);
  });

  it('of 60,000 bytes are fine', async () => {
    expect((await exchangeBytes(app.url, head('GET /v2', `X-Large: ${'x'.repeat(60_000)}`))).status).toBe(200);
  });

  it('with any byte in an unknown one are fine', async () => {
    const bytes = Buffer.from(head('GET /v2', 'X-Odd: \u00e4\u00ff\t~'), 'latin1');
    expect((await exchangeBytes(app.url, bytes)).status).toBe(200);
  });
});

describe('headers that mean something elsewhere mean nothing here', () => {
  it.each<Record<string, string>>([
    { 'If-None-Match': '*' },
    { 'If-Match': '"x"' },
    { Range: 'bytes=0-1' },
    { Accept: 'text/html' },
    { Accept: 'application/json;q=0' },
    { 'Accept-Charset': 'utf-16' },
    { 'Accept-Encoding': 'compress, deflate' },
    { 'X-HTTP-Method-Override': 'DELETE' },
    { 'X-Forwarded-Prefix': '/evil' },
    { Origin: 'https://evil.example', Cookie: 'session=1' },
  ])('%j', async (headers) => {
    const answer = await exchange(app.url, 'GET', '/v2/articles', authorized(headers));
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers).not.toHaveProperty('content-encoding');
    expect(JSON.parse(answer.body)).toHaveProperty('items');
  });
});

it('a body of any size on GET and DELETE is ignored', async () => {
  const text = 'x'.repeat(MAX_BODY + 1000);
  const headers = authorized({ 'Content-Length': String(text.length), 'Content-Type': 'multipart/form-data' });
  expect((await exchange(app.url, 'GET', '/v2/articles', headers, text)).status).toBe(200);
  expect((await exchange(app.url, 'DELETE', '/v2/articles?title=none', headers, text)).status).toBe(200);
});

it.each([
  ['GET', '/v2/articles', true, 200],
  ['DELETE', '/v2/articles?title=none', true, 200],
  ['POST', '/v2/articles', false, 401],
  ['POST', '/v2/articles', true, 413],
  ['PATCH', `/v2/articles/${ID}`, true, 413],
  ['PUT', '/v2/nowhere', false, 404],
])('the answer to %s %s (signed in: %s) comes whole to a client that is still sending', async (...row) => {
  const [method, path, isSignedIn, status] = row;
  const text = 'x'.repeat(2 * MAX_BODY);
  const length = { 'Content-Length': String(text.length) };
  for (let turn = 0; turn < 3; turn++) {
    const answer = await exchange(app.url, method, path, isSignedIn ? authorized(length) : length, text);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual(expect.any(Object));
  }
});

describe('a malformed percent-encoding', () => {
  it.each(['%zz', '%', '%ff', 'a%2'])('in an id, such as %s, is an id that is not a UUID', async (id) => {
    const answer = await exchange(app.url, 'GET', `/v2/articles/${id}`, authorized());
    expect([answer.status, JSON.parse(answer.body).errno]).toEqual([404, 110]);
    expect((await exchange(app.url, 'GET', `/v2/articles/${id}`)).status).toBe(401);
  });

  it('in the query of a record is ignored, in a listing 400 / 107', async () => {
    const inQuery = await exchange(app.url, 'GET', `/v2/articles/${ID}?%zz=%`, authorized());
    expect([inQuery.status, JSON.parse(inQuery.body).errno]).toEqual([404, 111]);
    const inListing = await exchange(app.url, 'GET', '/v2/articles?title=%E0%A4', authorized());
    expect(JSON.parse(inListing.body)).toMatchObject({ errno: 107, message: 'title: malformed percent-encoding' });
  });
});

it('a preflight without the version prefix is answered for the path behind the redirect', async () => {
  const answer = await exchange(app.url, 'OPTIONS', '/articles', { 'Access-Control-Request-Method': 'POST' });
  expect([answer.status, answer.headers['access-control-allow-methods']]).toEqual([204, 'DELETE, GET, HEAD, POST']);
});
