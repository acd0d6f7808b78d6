import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import type { TestApp } from '../support/app.js';
import { HttpBrowser } from './http-browser.js';
import { startLoginApp } from './login-app.js';

const REDIRECT = 'https://app.example.com/list?all=1#auth:';

let provider: DevelopmentProvider;
let service: TestApp;
let other: TestApp;
let browser: HttpBrowser;

beforeAll(async () => {
  provider = await startDevelopmentProvider({ port: 0 });
  service = await startLoginApp(provider.issuer);
  other = await startLoginApp(provider.issuer);
});
beforeEach(() => {
  browser = new HttpBrowser();
});
afterAll(async () => {
  await Promise.all([service.close(), other.close()]);
  await provider.close();
});

const loginUrl = (redirect: string, { url } = service) =>
  `${url}/v2/acct-oauth/login?redirect=${encodeURIComponent(redirect)}`;
const locationOf = (response: Response) => response.headers.get('location')!;
const begin = async (redirect = REDIRECT) => locationOf(await browser.visit(loginUrl(redirect)));
const signIn = async (name: string, redirect?: string) => browser.signIn(await begin(redirect), name);
const errorOf = async (response: Response) => {
  const { code, errno } = (await response.json()) as { code: number; errno: number };
  expect(code).toBe(response.status);
  return `${code} / ${errno}`;
};

describe('the login', () => {
  it('ends at the redirect with a token that opens the articles and the batch', async () => {
    const response = await browser.visit(await signIn('alice'));
    expect(response.status).toBe(302);
    expect(locationOf(response).startsWith(REDIRECT)).toBe(true);
    const authorization = `Bearer ${locationOf(response).slice(REDIRECT.length)}`;
    const articles = await fetch(`${service.url}/v2/articles`, { headers: { authorization } });
    expect(articles.status).toBe(200);
    const batch = await fetch(`${service.url}/v2/batch`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify({ requests: [{ method: 'GET', path: '/articles' }] }),
    });
    expect(await batch.json()).toMatchObject({ responses: [{ status: 200, path: '/articles' }] });
  });

  it('gives two users lists of their own', async () => {
    const headersOf = async (name: string) => {
      const address = locationOf(await browser.visit(await signIn(name)));
      return { authorization: `Bearer ${address.slice(REDIRECT.length)}`, 'content-type': 'application/json' };
    };
    const [carol, dave] = [await headersOf('carol'), await headersOf('dave')];
    const body = JSON.stringify({ url: 'https://example.com/', title: 'x', added_by: 'test' });
    expect((await fetch(`${service.url}/v2/articles`, { method: 'POST', headers: carol, body })).status).toBe(201);
    const lists = [carol, dave].map(async (headers) => {
      const response = await fetch(`${service.url}/v2/articles`, { headers });
      return ((await response.json()) as { items: unknown[] }).items.length;
    });
    expect(await Promise.all(lists)).toEqual([1, 0]);
  });

  it('asks the provider for a code with PKCE, state and scope', async () => {
    const { origin, searchParams } = new URL(await begin());
    expect(origin).toBe(provider.issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      client_id: 'reading-list',
      response_type: 'code',
      redirect_uri: `${service.url}/v2/acct-oauth/token`,
      scope: 'readinglist',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('keeps the token out of path, query, body and cookies', async () => {
    const response = await browser.visit(await signIn('alice'));
    const { href, hash } = new URL(locationOf(response));
    const token = hash.slice('#auth:'.length);
    expect(token.length).toBeGreaterThan(20);
    expect(href.slice(0, -hash.length)).not.toContain(token);
    expect(await response.text()).not.toContain(token);
    expect(response.headers.getSetCookie().join()).not.toContain(token);
  });

  it('adds a # to a redirect without one', async () => {
    const response = await browser.visit(await signIn('alice', 'http://localhost:4000/app?x=1'));
    expect(locationOf(response)).toMatch(/^http:\/\/localhost:4000\/app\?x=1#[\w-]{20,}$/);
  });
});

describe('of a login', () => {
  it('no answer may be stored or told to the next page as referrer', async () => {
    const callback = await signIn('alice');
    const answers = [
      await browser.visit(loginUrl(REDIRECT)),
      await browser.visit(loginUrl('https://evil.test/')),
      await browser.visit(callback),
      await browser.visit(callback),
    ];
    expect(answers.map(({ status }) => status)).toEqual([302, 400, 302, 401]);
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('the cookie is for the login only, and goes with its end', async () => {
    const response = await browser.visit(loginUrl(REDIRECT));
    const [cookie] = response.headers.getSetCookie();
    const [pair, ...attributes] = cookie!.split('; ');
    expect(pair).toMatch(/^login-[\w-]{16}=[\w.-]+$/);
    const expires = expect.stringMatching(/^Expires=/);
    expect(attributes).toEqual(['Max-Age=3600', 'Path=/v2/acct-oauth', expires, 'HttpOnly', 'SameSite=Lax']);
    const end = await browser.visit(await browser.signIn(locationOf(response), 'alice'));
    expect(end.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^login-[\w-]{16}=; Max-Age=0; Path=\/v2\/acct-oauth; Expires=/),
    ]);
    expect(browser.logins()).toEqual([]);
  });

  it('there may be two at once in one browser, ended in any order', async () => {
    const first = await begin('https://app.example.com/#first:');
    const second = await begin('https://app.example.com/#second:');
    const ends = [await browser.signIn(second, 'alice'), await browser.signIn(first, 'bob')];
    const places = await Promise.all(ends.map(async (end) => new URL(locationOf(await browser.visit(end))).hash));
    expect(places).toEqual([expect.stringMatching(/^#second:./), expect.stringMatching(/^#first:./)]);
  });

  it('any number may be abandoned without the browser sending too much', async () => {
    for (let index = 0; index < 12; index++) await begin(`https://app.example.com/${'a'.repeat(1900)}#auth:`);
    expect(browser.logins().length).toBeLessThan(5);
    expect((await browser.visit(await signIn('alice'))).status).toBe(302);
  });

  it('another instance on another port ends what one began', async () => {
    const callback = await signIn('alice');
    const elsewhere = callback.replace(service.url, other.url);
    expect(locationOf(await browser.visit(elsewhere)).startsWith(REDIRECT)).toBe(true);
  });

  it('the callback is under PUBLIC_URL, the cookie as well and Secure', async () => {
    const proxied = await startLoginApp(provider.issuer, { PUBLIC_URL: 'https://example.com/lists/' });
    const response = await browser.visit(loginUrl(REDIRECT, proxied));
    expect(new URL(locationOf(response)).searchParams.get('redirect_uri')).toBe(
      'https://example.com/lists/v2/acct-oauth/token',
    );
    expect(response.headers.getSetCookie()[0]).toMatch(/; Path=\/lists\/v2\/acct-oauth; .*; Secure; SameSite=Lax$/);
    await proxied.close();
  });

  it('the paths have the name of the provider, which clients can ask', async () => {
    const named = await startLoginApp(provider.issuer, { OAUTH_PROVIDER_NAME: 'Example-1' });
    const parameters = await fetch(`${named.url}/v2/Example-1-oauth/params`);
    expect(await parameters.json()).toEqual({
      client_id: 'reading-list',
      oauth_uri: provider.issuer,
      scope: 'readinglist',
    });
    expect((await fetch(`${named.url}/v2/acct-oauth/params`)).status).toBe(404);
    await named.close();
  });

  it('the token is a JWT for the service when OAUTH_AUDIENCE is an address and the provider knows resources', async () => {
    const resource = 'https://list.example.com';
    const issuing = await startDevelopmentProvider({ port: 0, audience: resource });
    const demanding = await startLoginApp(issuing.issuer, { OAUTH_AUDIENCE: resource });
    const location = locationOf(await browser.visit(loginUrl(REDIRECT, demanding)));
    expect(new URL(location).searchParams.get('resource')).toBe(resource);
    const token = locationOf(await browser.visit(await browser.signIn(location, 'alice'))).slice(REDIRECT.length);
    expect(token.split('.').length).toBe(3);
    const authorization = `Bearer ${token}`;
    expect((await fetch(`${demanding.url}/v2/articles`, { headers: { authorization } })).status).toBe(200);
    await demanding.close();
    await issuing.close();
  });
});

describe('a login does not begin', () => {
  it.each([
    ['', '400 / 108'],
    ['?redirect=', '400 / 108'],
    ['?redirect=https%3A%2F%2Fevil.test%2F', '400 / 107'],
    ['?redirect=https%3A%2F%2Fapp.example.com%40evil.test%2F', '400 / 107'],
    ['?redirect=%2F%2Fapp.example.com%2F', '400 / 107'],
    ['?redirect=https%3A%2F%2Fapp.example.com%5C.evil.test%2F', '400 / 107'],
    ['?redirect=https%3A%2F%2Fapp.example.com%2F%0D%0AX%3A1', '400 / 107'],
    ['?redirect=javascript%3Aalert(1)', '400 / 107'],
    ['?redirect=https%3A%2F%2Fapp.example.com%2F&redirect=https%3A%2F%2Fapp.example.com%2F', '400 / 107'],
    ['?redirect[]=https%3A%2F%2Fapp.example.com%2F', '400 / 108'],
    ['?redirect=%zz', '400 / 107'],
  ])('with %j: %s', async (query, error) => {
    const response = await browser.visit(`${service.url}/v2/acct-oauth/login${query}`);
    expect(await errorOf(response)).toBe(error);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('by another verb than GET', async () => {
    const response = await fetch(loginUrl(REDIRECT), { method: 'POST' });
    expect(await errorOf(response)).toBe('405 / 115');
    expect(response.headers.get('allow')).toBe('GET, HEAD');
  });
});

describe('a login does not end', () => {
  const callbackWith = (query: string) => `${service.url}/v2/acct-oauth/token${query}`;

  it.each([
    ['', '400 / 108'],
    ['?code=a', '400 / 108'],
    ['?state=a', '400 / 108'],
    ['?code=&state=a', '400 / 108'],
    ['?code=a&code=b&state=c', '400 / 107'],
    ['?code=a&state=b&state=c', '400 / 107'],
    ['?error=access_denied&state=a', '400 / 107'],
    ['?error=access_denied', '400 / 107'],
    ['?code=a&state=unknown', '401 / 105'],
    [`?code=a&state=${'x'.repeat(43)}`, '401 / 105'],
    ['?code=a&state=%00%0D%0A;login', '401 / 105'],
  ])('with %j: %s', async (query, error) => {
    expect(await errorOf(await browser.visit(callbackWith(query)))).toBe(error);
  });

  it('twice', async () => {
    const callback = await signIn('alice');
    await browser.visit(callback);
    const again = await browser.visit(callback);
    expect(again.headers.get('www-authenticate')).toMatch(/^Bearer realm=.*error="invalid_token"/);
    expect(await errorOf(again)).toBe('401 / 105');
  });

  it('in another browser', async () => {
    const callback = await signIn('mallory');
    await begin();
    expect(await errorOf(await new HttpBrowser().visit(callback))).toBe('401 / 105');
  });

  it('with the cookie of another login under its name', async () => {
    const [mine, callback] = [
      await browser.visit(loginUrl(REDIRECT)),
      await new HttpBrowser().signIn(await begin(), 'x'),
    ];
    const sealed = /=([^;]+)/.exec(mine.headers.getSetCookie()[0]!)![1]!;
    const name = `login-${new URL(callback).searchParams.get('state')!.slice(0, 16)}`;
    const response = await fetch(callback, { headers: { cookie: `${name}=${sealed}` } });
    expect(await errorOf(response)).toBe('401 / 105');
  });

  it('after OAUTH_STATE_SECONDS, by the clock of the service', async () => {
    const late = await startLoginApp(provider.issuer, { OAUTH_STATE_SECONDS: '60' });
    const location = locationOf(await browser.visit(loginUrl(REDIRECT, late)));
    const callback = await browser.signIn(location, 'alice');
    late.setClock(Date.now() + 60_000);
    expect(await errorOf(await browser.visit(callback))).toBe('401 / 105');
    await late.close();
  });

  it('with a code that the provider did not issue for it', async () => {
    const [one, two] = [new URL(await signIn('alice')), new URL(await signIn('bob'))];
    one.searchParams.set('code', two.searchParams.get('code')!);
    const response = await browser.visit(one.href);
    expect(await errorOf(response)).toBe('400 / 107');
    expect(response.headers.getSetCookie().join()).toContain('Max-Age=0');
  });

  it.each([
    ['another provider says it answers', 'https://evil.test', '400 / 107'],
    ['no provider says it answers', '', '400 / 108'],
  ])('when %s, though this one always says so', async (_, iss, error) => {
    const callback = new URL(await signIn('alice'));
    callback.searchParams.set('iss', iss);
    expect(await errorOf(await browser.visit(callback.href))).toBe(error);
  });
});
