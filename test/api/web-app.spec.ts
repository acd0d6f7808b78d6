import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startAppWithProvider, type TestApp } from '../support/app.js';
import { basicAuthorization } from '../support/client.js';
import { exchange } from './raw-http.js';

let app: TestApp;
let withoutPage: TestApp;

beforeAll(async () => {
  app = await startApp();
  withoutPage = await startApp({ WEB_APP_ENABLED: 'false' });
});
afterAll(async () => {
  await app?.close();
  await withoutPage?.close();
});

interface Answer {
  status: number;
  location?: string;
  body: string;
}

/** As `fetch`, which sends an `Accept` of its own. */
const get = (url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers, method }, (response) => {
      let body = '';
      response.on('data', (chunk) => (body += chunk));
      response.on('end', () => resolve({ status: response.statusCode!, location: response.headers.location, body }));
    });
    sent.on('error', reject).end();
  });

const FIREFOX = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const CHROMIUM =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7';

describe('GET /', () => {
  it.each([
    [FIREFOX],
    [CHROMIUM],
    ['text/html'],
    ['TEXT/HTML'],
    ['text/html, */*'],
    ['text/html;q=0.9, application/json;q=0.8'],
    ['application/json;q=0.5, text/html'],
  ])('leads a client that prefers HTML to the application: %s', async (accept) => {
    expect(await get(`${app.url}/`, { accept })).toMatchObject({ status: 302, location: `${app.url}/app/` });
    expect(await get(`${app.url}/`, { accept }, 'HEAD')).toMatchObject({ status: 302, location: `${app.url}/app/` });
  });

  it.each([
    [undefined],
    [''],
    ['*/*'],
    ['application/json'],
    ['application/json, text/plain, */*'],
    ['application/json, text/html;q=0.9'],
    ['text/html;q=0'],
    ['text/html;q=0.1, application/json;q=0.2'],
    ['image/png'],
    [','.repeat(100)],
  ])('gives every other client the specified redirect: %s', async (accept) => {
    const answer = await get(`${app.url}/`, accept === undefined ? {} : { accept });
    expect(answer).toMatchObject({ status: 307, location: `${app.url}/v2/` });
    expect(JSON.parse(answer.body)).toMatchObject({ url: `${app.url}/v2` });
  });

  it('says that the response depends on what the client accepts', async () => {
    for (const accept of ['text/html', 'application/json']) {
      const response = await fetch(`${app.url}/`, { headers: { accept }, redirect: 'manual' });
      expect(response.headers.get('vary')).toBe('Accept');
    }
  });

  it('says so of a compressed response as well', async () => {
    const long = await startApp({ SERVICE_NAME: 'x'.repeat(1_200) });
    const { status, headers } = await exchange(long.url, 'GET', '/', { 'accept-encoding': 'gzip' });
    expect([status, headers['content-encoding'], headers.vary]).toEqual([307, 'gzip', 'Accept, Accept-Encoding']);
    await long.close();
  });

  it('redirects without a body, and says so', async () => {
    const { headers } = await fetch(`${app.url}/`, { headers: { accept: 'text/html' }, redirect: 'manual' });
    expect([headers.get('content-length'), headers.get('transfer-encoding')]).toEqual(['0', null]);
  });

  it('gives browsers the specified redirect as well while the application is off', async () => {
    expect(await get(`${withoutPage.url}/`, { accept: FIREFOX })).toMatchObject({ status: 307 });
  });
});

describe('below /app/', () => {
  it('the path without a slash leads to the one with it', async () => {
    expect(await get(`${app.url}/app`)).toMatchObject({ status: 302, location: `${app.url}/app/` });
  });

  it.each(['/app/no-such-file', '/app/..%2fpackage.json', '/app/..%2f..%2fpackage.json', '/app//'])(
    '404 for what the build did not make: %s',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const answer = await get(app.url + path, {}, method);
        expect([answer.status, (JSON.parse(answer.body) as { errno: number }).errno]).toEqual([404, 111]);
      }
    },
  );

  it('other methods are 405', async () => {
    for (const path of ['/app/', '/app/config.json', '/app/account'])
      expect(await get(app.url + path, {}, 'DELETE'), path).toMatchObject({ status: 405 });
  });

  it.each(['/app/', '/app/config.json', '/app/account'])(
    '%s is an unknown path while the application is off',
    async (path) => {
      expect(await get(withoutPage.url + path, { authorization: basicAuthorization('alice', 'a') })).toMatchObject({
        status: 307,
      });
    },
  );

  it('the application is told the name in the paths of the login', async () => {
    const answer = await get(`${app.url}/app/config.json`);
    expect(JSON.parse(answer.body)).toEqual({ name: 'reading list', provider: 'acct' });
  });
});

it('the application offers a login only where the operator has set up a provider, and is told what it calls the user', async () => {
  const withProvider = await startAppWithProvider();
  const { body } = await get(`${withProvider.url}/app/config.json`);
  expect(JSON.parse(body)).toMatchObject({ offersLogin: true });
  const authorization = `Bearer ${await withProvider.issue('alice')}`;
  const answer = await get(`${withProvider.url}/app/account`, { authorization });
  expect(JSON.parse(answer.body)).toMatchObject({ name: 'alice' });
  await withProvider.close();
});

describe('GET /app/account', () => {
  const nameOf = async (authorization: string) => {
    const answer = await get(`${app.url}/app/account`, { authorization });
    return (JSON.parse(answer.body) as { account: string }).account;
  };

  it('names the account of the caller, always alike', async () => {
    const name = await nameOf(basicAuthorization('alice', 'a'));
    expect(name).toMatch(/^[\w-]{22}$/);
    expect(await nameOf(basicAuthorization('alice', 'a'))).toBe(name);
  });

  it('no two accounts have the same name', async () => {
    const callers = [
      basicAuthorization('alice', 'a'),
      basicAuthorization('alice', 'b'),
      basicAuthorization('bob', 'a'),
      basicAuthorization('alice', ':a'),
    ];
    expect(new Set(await Promise.all(callers.map(nameOf))).size).toBe(callers.length);
  });

  it('is for callers with credentials only', async () => {
    expect(await get(`${app.url}/app/account`)).toMatchObject({ status: 401 });
    expect(await get(`${app.url}/app/account`, { authorization: 'Bearer ' })).toMatchObject({ status: 401 });
  });
});
