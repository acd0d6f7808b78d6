import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendBytes } from '../api/raw-http.js';
import { basicAuthorization } from '../support/client.js';
import { type Service, startService } from '../support/service.js';

const authorization = `Authorization: ${basicAuthorization('ambiguous')}`;

const get = (path: string, ...headers: string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');

let service: Service;

beforeAll(async () => {
  service = await startService({ DATABASE_URL: 'sqlite::memory:' });
});

afterAll(() => service.kill());

/** The statuses of all answers on one connection, in their order. */
async function statuses(bytes: string): Promise<number[]> {
  const received = await sendBytes(service.url, bytes);
  return [...received.matchAll(/(?:^|[}\n])HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

describe('400 is the answer to', () => {
  it.each<string[]>([
    ['two hosts', 'GET /v2 HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n'],
    ['the same host twice', 'GET /v2 HTTP/1.1\r\nhost: a\r\nHOST: a\r\nConnection: close\r\n\r\n'],
    ['two hosts of HTTP/1.0', 'GET /v2 HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['an empty host', 'GET /v2 HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n'],
    ['a host of blanks', 'GET /v2 HTTP/1.1\r\nHost: \t \r\nConnection: close\r\n\r\n'],
    ['an empty host of HTTP/1.0', 'GET /v2 HTTP/1.0\r\nHost: \r\n\r\n'],
    ...[
      'a b',
      'a/b',
      'a,b@c',
      'http://a',
      'a:b',
      'a:80:80',
      '[::1',
      '::1',
      'a?b',
      'a#b',
      'a\\b',
      '<a>',
      'ä',
      ':80',
      '%zz',
    ].map((host) => [`the host ${host}`, `GET /v2 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`]),
    ['a host longer than any name', `GET /v2 HTTP/1.1\r\nHost: xn--${'a'.repeat(300)}\r\nConnection: close\r\n\r\n`],
    [
      'a URL whose host is longer than any name',
      `GET http://xn--${'a'.repeat(300)}/v2 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ],
    ['two credentials', get('/v2/articles', authorization, authorization, 'Connection: close')],
    [
      'two credentials, one of them refused',
      get('/v2/articles', authorization, 'authorization: Basic x', 'Connection: close'),
    ],
    ...['GET', 'HEAD'].flatMap((method) =>
      ['If-Modified-Since', 'If-Unmodified-Since'].map((name) => [
        `two ${name} of a ${method}`,
        get(
          '/v2/articles',
          authorization,
          `${name}: 1`,
          `${name.toLowerCase()}: 9999999999999`,
          'Connection: close',
        ).replace('GET', method),
      ]),
    ),
    [
      'two conditions of a DELETE',
      get(
        '/v2/articles',
        authorization,
        'If-Unmodified-Since: 9999999999999',
        'If-Unmodified-Since: 1',
        'Connection: close',
      ).replace('GET', 'DELETE'),
    ],
    ['no host', 'GET /v2 HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['HTTP/2.0', 'GET /v2 HTTP/2.0\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['HTTP/0.9', 'GET /v2 HTTP/0.9\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['HTTP/1.2', 'GET /v2 HTTP/1.2\r\nHost: a\r\nConnection: close\r\n\r\n'],
    ['a line of HTTP/0.9', 'GET /v2\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    expect(await statuses(bytes)).toEqual([400]);
  });
});

it.each([
  ['two hosts', 'GET /v2 HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
  ['no host', 'GET /v2 HTTP/1.1\r\n\r\n'],
  ['an empty host', 'GET /v2 HTTP/1.1\r\nHost:\r\n\r\n'],
  ['two credentials', get('/v2/articles', authorization, authorization)],
  ['an absolute target of another scheme', get('ftp://x/v2')],
])('nothing that follows %s is answered', async (_, bytes) => {
  expect(await statuses(bytes + get('/v2', 'Connection: close'))).toEqual([400]);
});

it('100 Continue does not answer an unknown expectation beside it', async () => {
  const headers = ['Expect: 100-continue, x', authorization, 'Content-Length: 2', 'Connection: close'];
  expect(await statuses(get('/v2/articles', ...headers).replace('GET', 'POST') + '{}')).toEqual([417]);
});

describe('200 is the answer to', () => {
  it.each([
    'a',
    'a.example:8000',
    '127.0.0.1',
    '[::1]:80',
    'a:',
    'under_score',
    'xn--e1afmkfd.example',
    "a~b!c$d&e'(f)*+;=",
  ])('the host %s', async (host) => {
    expect(await statuses(`GET /v2 HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toEqual([200]);
  });
});

describe('a condition counts', () => {
  it.each([0, 50, 95])('after %i other headers', async (count) => {
    const others = Array.from({ length: count }, (_, at) => `X${at}: 1`);
    const lines = [...others, 'If-Unmodified-Since: 1', authorization, 'Connection: close'];
    expect(await statuses(get('/v2/articles', ...lines).replace('GET', 'DELETE'))).toEqual([412]);
  });

  it.each([100, 1_000, 2_000, 2_001, 5_000, 20_000])('or the request is refused, after %i', async (count) => {
    const others = Array.from({ length: count }, (_, at) => `X${at}: 1`);
    expect(await statuses(get('/v2/articles', ...others, 'If-Unmodified-Since: 1', authorization))).toEqual([431]);
  });
});

describe('what was sent before something malformed is answered first', () => {
  const good = [get('/v2'), get('/v2/articles', authorization), get('/v2/nowhere'), get('/v2/articles')];
  const goodStatuses = [200, 200, 404, 401];

  it.each([
    ['a line that is not a request', 'NONSENSE\r\n\r\n', 400],
    ['two lengths', 'POST /v2/articles HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
    [
      'a bad chunk',
      `POST /v2/articles HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      400,
    ],
    ['headers without end', `GET /v2 HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}`, 431],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ])('%s', async (_, bad, status) => {
    for (const count of [1, 2, 4])
      expect(await statuses(good.slice(0, count).join('') + bad)).toEqual([...goodStatuses.slice(0, count), status]);
    expect(await statuses(good.join('').repeat(30) + bad)).toEqual([...Array(30).fill(goodStatuses).flat(), status]);
  });
});

it('a path of 64 KiB is answered 404 / 111', async () => {
  const response = await fetch(`${service.url}/docs/${'%/'.repeat(32_000)}`, { method: 'PUT' });
  expect(await response.json()).toMatchObject({ code: 404, errno: 111 });
});
