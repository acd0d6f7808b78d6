import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../src/protocol/api-error.js';
import { startApp, startAppWithProvider, type TestApp, type TestAppWithProvider } from '../support/app.js';
import { client, requireOwnService } from '../support/client.js';
import { exchange, exchangeBytes } from './raw-http.js';

let app: TestAppWithProvider;
const others: TestApp[] = [];
beforeAll(async () => {
  app = await startAppWithProvider();
});
afterAll(async () => {
  for (const one of [app, ...others]) await one.close();
});

async function start(variables: Record<string, string>): Promise<TestApp> {
  const started = await startApp(variables);
  others.push(started);
  return started;
}

const infoOf = (body: string): string => (JSON.parse(body) as { info: string }).info;
const asUser = (headers: Record<string, string> = {}) => ({ Authorization: client(app.url).authorization, ...headers });

describe('info is the URL of the section about the error', () => {
  it.each<[string, number, number, () => Promise<{ status: number; body: string }>]>([
    ['no credentials', 401, 104, () => exchange(app.url, 'GET', '/v2/articles')],
    ['refused credentials', 401, 105, () => exchange(app.url, 'GET', '/v2/articles', { Authorization: 'Bearer x' })],
    ['a wrong parameter', 400, 107, () => exchange(app.url, 'GET', '/v2/articles?_limit=0', asUser())],
    ['no JSON', 400, 106, () => exchange(app.url, 'POST', '/v2/articles', asUser({ 'Content-Length': '1' }), '{')],
    [
      'a missing field',
      400,
      108,
      () => exchange(app.url, 'POST', '/v2/articles', asUser({ 'Content-Length': '2' }), '{}'),
    ],
    [
      'a wrong value',
      400,
      109,
      () => exchange(app.url, 'POST', '/v2/articles', asUser({ 'Content-Length': '2' }), '[]'),
    ],
    ['an id that is not a UUID', 404, 110, () => exchange(app.url, 'GET', '/v2/articles/x', asUser())],
    ['an unknown path', 404, 111, () => exchange(app.url, 'GET', '/v2/nowhere')],
    ['another method', 405, 115, () => exchange(app.url, 'PUT', '/v2/articles', asUser())],
    ['an old version', 410, 202, () => exchange(app.url, 'GET', '/v1/articles')],
    ['an expectation', 417, 107, () => exchange(app.url, 'GET', '/v2', { Expect: 'the-best' })],
  ])('for %s', async (_, status, errno, send) => {
    requireOwnService('its documentation may be elsewhere');
    const answer = await send();
    expect([answer.status, infoOf(answer.body)]).toEqual([status, `${app.url}/docs/errors#${errno}`]);
  });

  it.each([
    ['a malformed request', 'NONSENSE\r\n\r\n', 107],
    ['large headers', `GET /v2 HTTP/1.1\r\nHost: a\r\nX-Filler: ${'x'.repeat(70_000)}\r\n\r\n`, 107],
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n', 115],
  ])('for %s, where only the socket is known', async (_, bytes, errno) => {
    requireOwnService('its documentation may be elsewhere');
    expect(infoOf((await exchangeBytes(app.url, bytes)).body)).toBe(`${app.url}/docs/errors#${errno}`);
  });

  it('in the responses of a batch', async () => {
    requireOwnService('its documentation may be elsewhere');
    const token = await app.issue('alice');
    const requests = [
      { method: 'GET', path: '/articles/x' },
      { method: 'PUT', path: '/articles' },
      { method: 'GET', path: '/nowhere' },
    ];
    const text = JSON.stringify({ requests });
    const headers = { Authorization: `Bearer ${token}`, 'Content-Length': String(text.length) };
    const { status, body } = await exchange(app.url, 'POST', '/v2/batch', headers, text);
    const { responses } = JSON.parse(body) as { responses: { body: { info: string } }[] };
    expect(status).toBe(200);
    const numbers = [110, 115, 111];
    expect(responses.map((one) => one.body.info)).toEqual(numbers.map((errno) => `${app.url}/docs/errors#${errno}`));
  });

  it('in a heartbeat that reports a failure', async () => {
    const alone = await start({ OAUTH_URI: 'http://127.0.0.1:9' });
    const { status, body } = await exchange(alone.url, 'GET', '/__heartbeat__');
    expect([status, infoOf(body)]).toEqual([503, `${alone.url}/docs/errors#201`]);
  });
});

describe('info begins with', () => {
  const infos = async ({ url }: TestApp, host: string) => [
    infoOf((await exchange(url, 'GET', '/v2/articles', { Host: host })).body),
    infoOf((await exchangeBytes(url, 'NONSENSE\r\n\r\n')).body),
  ];

  it('the host of the request', async () => {
    requireOwnService('its documentation may be elsewhere');
    const [info] = await infos(app, 'list.example.com:8080');
    expect(info).toBe('http://list.example.com:8080/docs/errors#104');
  });

  it('PUBLIC_URL', async () => {
    const known = await start({ PUBLIC_URL: 'https://list.example.com/base' });
    expect(await infos(known, 'other.example')).toEqual(
      [104, 107].map((errno) => `https://list.example.com/base/docs/errors#${errno}`),
    );
  });

  it.each(['https://wiki.example.com/list', 'https://wiki.example.com/list/'])('DOCUMENTATION_URL: %s', async (url) => {
    const elsewhere = await start({ PUBLIC_URL: 'https://list.example.com', DOCUMENTATION_URL: url });
    expect(await infos(elsewhere, 'other.example')).toEqual(
      [104, 107].map((errno) => `https://wiki.example.com/list/errors#${errno}`),
    );
  });
});

describe('the page about errors', () => {
  it('has a section for every number, and names every status', async () => {
    const { status, headers, body } = await exchange(app.url, 'GET', '/docs/errors');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    for (const { status: code, errno, error } of Object.values(ERRORS)) {
      expect(body.split(`id="${errno}"`)).toHaveLength(2);
      expect(body).toContain(`${code} ${error}`);
    }
  });

  it('loads nothing and runs no script', async () => {
    const { headers, body } = await exchange(app.url, 'GET', '/docs/errors');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; .*frame-ancestors 'none'$/);
    expect(body).not.toMatch(/<script|src=|https?:/);
  });

  it('has only GET and HEAD', async () => {
    const { status, headers } = await exchange(app.url, 'POST', '/docs/errors', { 'Content-Length': '0' });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});
