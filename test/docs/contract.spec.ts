import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { HttpBrowser } from '../auth/http-browser.js';
import { anArticle } from '../support/article.js';
import { basicAuthorization } from '../support/client.js';
import { type Service, startService } from '../support/service.js';
import { type Answer, exchange, type Sent, undocumented } from './contract.js';
import { type Document, type Json, operationsOf } from './document.js';

let provider: DevelopmentProvider;
let service: Service;
let document: Document;
let token: string;
const others: Service[] = [];

const basic = { Authorization: basicAuthorization('me') };
const read = async (url: string) => (await exchange(`${url}/v2/openapi.json`, 'GET')).body as unknown as Document;

/** A service of its own for one test. */
async function another(variables: Record<string, string>): Promise<Service> {
  const started = await startService({ OAUTH_URI: provider.issuer, DATABASE_URL: 'sqlite::memory:', ...variables });
  others.push(started);
  return started;
}

beforeAll(async () => {
  provider = await startDevelopmentProvider({ port: 0 });
  service = await another({});
  document = await read(service.url);
  token = await provider.issue('alice');
});
afterAll(async () => {
  for (const one of others) await one.kill();
  await provider.close();
});

/** Sends the request and checks that the document knows what comes back. */
async function documented(method: string, path: string, sent: Sent = {}, base = service.url): Promise<Answer> {
  const answer = await exchange(base + path, method, sent);
  expect(undocumented(document, method, path, answer), `${method} ${path}: ${JSON.stringify(answer)}`).toEqual([]);
  return answer;
}

/** What a record may have, so that headers and members that depend on it are seen. */
const EVERYTHING = {
  preview: 'https://example.com/picture',
  resolved_url: 'https://example.com/resolved',
  resolved_title: 'Resolved',
  excerpt: 'Tea',
  word_count: 3,
  unread: false,
  marked_read_by: 'phone',
  marked_read_on: 5,
  read_position: 2,
};

const create = async (fields: Json = {}) =>
  (await documented('POST', '/v2/articles', { headers: basic, body: anArticle(fields) })).body!;

describe('the document knows what the service answers', () => {
  const id = '00000000-0000-4000-8000-000000000000';

  it('to the life of an article', async () => {
    const made = await create(EVERYTHING);
    const one = `/v2/articles/${made.id}`;
    const with_ = (headers: Record<string, string>, body?: unknown): Sent => ({
      headers: { ...basic, ...headers },
      body,
    });
    const statuses = [
      await documented('POST', '/v2/articles', with_({}, { ...made, title: 'other' })),
      await documented('GET', one, with_({})),
      await documented('HEAD', one, with_({})),
      await documented('GET', one, with_({ 'If-Modified-Since': String(made.last_modified) })),
      await documented('HEAD', one, with_({ 'If-Modified-Since': String(made.last_modified) })),
      await documented('GET', one, with_({ 'If-Unmodified-Since': '5' })),
      await documented('PATCH', one, with_({}, { favorite: true })),
      await documented('PATCH', one, with_({ 'Response-Behavior': 'light' }, { favorite: false })),
      await documented('PATCH', one, with_({ 'Response-Behavior': 'diff' }, { title: ' pad ' })),
      await documented('PATCH', one, with_({ 'If-Unmodified-Since': '5' }, {})),
      await documented('PATCH', one, with_({}, { resolved_url: (await create()).url })),
      await documented('DELETE', one, with_({ 'If-Unmodified-Since': '5' })),
      await documented('DELETE', one, with_({})),
      await documented('DELETE', one, with_({})),
      await documented('GET', one, with_({})),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 304, 304, 412, 200, 200, 200, 412, 409, 412, 200, 404, 404]);
  });

  it('to listings', async () => {
    for (let count = 0; count < 3; count++) await create();
    const page = await documented('GET', '/v2/articles?_limit=2&_since=0', { headers: basic });
    expect(page.headers['next-page']).toBeDefined();
    const current = String(page.headers['last-modified']);
    const conditional = { headers: { ...basic, 'If-Modified-Since': current } };
    const statuses = [
      await documented('GET', '/v2/articles', conditional),
      await documented('HEAD', '/v2/articles?unread=true', { headers: basic }),
      await documented('HEAD', '/v2/articles', conditional),
      await documented('GET', '/v2/articles', { headers: { ...basic, 'If-Unmodified-Since': '5' } }),
      await documented('DELETE', '/v2/articles', { headers: { ...basic, 'If-Unmodified-Since': '5' } }),
      await documented('DELETE', '/v2/articles', { headers: basic }),
      await documented('GET', '/v2/articles?_since=0&deleted=true', { headers: basic }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([304, 200, 304, 412, 412, 200, 200]);
  });

  it.each<[string, string, string, Sent, number, number]>([
    ['an unknown filter', 'GET', '/v2/articles?nonsense=1', {}, 400, 107],
    ['a wrong header', 'GET', '/v2/articles', { headers: { 'If-Modified-Since': 'yesterday' } }, 400, 107],
    ['paging a deletion', 'DELETE', '/v2/articles?_limit=1', {}, 400, 107],
    ['no JSON', 'POST', '/v2/articles', { body: '{' }, 400, 106],
    ['no url', 'POST', '/v2/articles', { body: {} }, 400, 108],
    ['a wrong title', 'POST', '/v2/articles', { body: anArticle({ title: 5 }) }, 400, 109],
    ['no Content-Length', 'POST', '/v2/articles', { body: anArticle(), chunked: true }, 411, 112],
    ['a large body', 'POST', '/v2/articles', { headers: { 'Content-Length': '9999999' }, body: '' }, 413, 113],
    ['an id that is not a UUID', 'GET', '/v2/articles/nonsense', {}, 404, 110],
    ['an unknown id', 'PATCH', `/v2/articles/${id}`, { body: {} }, 404, 111],
    ['an expectation', 'GET', '/v2/articles', { headers: { Expect: 'the-best' } }, 417, 107],
    ['large headers', 'GET', '/v2/articles', { headers: { 'X-Filler': 'x'.repeat(70_000) } }, 431, 107],
    ['a batch with Basic', 'POST', '/v2/batch', { body: { requests: [] } }, 401, 104],
  ])('to %s', async (_, method, path, sent, status, errno) => {
    const answer = await documented(method, path, { ...sent, headers: { ...basic, ...sent.headers } });
    expect([answer.status, answer.body!.errno]).toEqual([status, errno]);
  });

  it('to strangers', async () => {
    const refused = { headers: { Authorization: 'Bearer nonsense' } };
    const poor = { headers: { Authorization: `Bearer ${await provider.issue('alice', { scope: 'openid' })}` } };
    const errnos = [
      await documented('GET', '/v2/articles'),
      await documented('GET', '/v2/articles', refused),
      await documented('GET', '/v2/articles', poor),
      await documented('POST', '/v2/batch', { ...poor, body: {} }),
    ].map(({ status, body }) => [status, body!.errno as number]);
    expect(errnos).toEqual([
      [401, 104],
      [401, 105],
      [403, 121],
      [403, 121],
    ]);
  });

  it('to a user who has as many articles as are allowed', async () => {
    const { url } = await another({ MAX_ARTICLES_PER_USER: '1' });
    const post = () => documented('POST', '/v2/articles', { headers: basic, body: anArticle() }, url);
    expect((await post()).status).toBe(201);
    expect(await post()).toMatchObject({ status: 403, body: { errno: 121, max_articles: 1 } });
  });

  it('to a batch', async () => {
    const headers = { Authorization: `Bearer ${token}` };
    const requests = [
      { method: 'post', path: '/articles', body: anArticle() },
      { method: 'GET', path: '/articles' },
      { method: 'HEAD', path: '/v2/articles' },
      { method: 'PUT', path: '/articles' },
    ];
    const answer = await documented('POST', '/v2/batch', { headers, body: { requests } });
    expect((answer.body!.responses as Json[]).map(({ status }) => status as number)).toEqual([201, 200, 200, 405]);
    const wrong = [{}, { requests: 5 }, { requests: [{ method: 'GET', path: 'x' }] }];
    for (const body of wrong) expect((await documented('POST', '/v2/batch', { headers, body })).status).toBe(400);
  });

  it('to a login', async () => {
    const oauth = '/v2/acct-oauth';
    expect((await documented('GET', `${oauth}/params`)).body!.oauth_uri).toBe(provider.issuer);
    const redirect = encodeURIComponent('http://localhost:3000/#auth:');
    expect((await documented('GET', `${oauth}/login?redirect=${redirect}`)).status).toBe(302);
    expect((await documented('GET', `${oauth}/login`)).body!.errno).toBe(108);
    expect((await documented('GET', `${oauth}/login?redirect=https://evil.example/`)).body!.errno).toBe(107);
    expect((await documented('GET', `${oauth}/token?code=x`)).body!.errno).toBe(108);
    expect((await documented('GET', `${oauth}/token?code=x&state=x`)).status).toBe(401);
    expect((await documented('GET', `${oauth}/token?error=access_denied`)).body!.errno).toBe(107);
  });

  it('to a login that succeeds', async () => {
    const browser = new HttpBrowser();
    const redirect = encodeURIComponent('http://localhost:3000/#auth:');
    const begun = await browser.visit(`${service.url}/v2/acct-oauth/login?redirect=${redirect}`);
    const callback = new URL(await browser.signIn(begun.headers.get('location')!, 'alice'));
    const cookie = begun.headers
      .getSetCookie()
      .map((it) => it.split(';')[0])
      .join('; ');
    const answer = await documented('GET', callback.pathname + callback.search, { headers: { cookie } });
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toMatch(/^http:\/\/localhost:3000\/#auth:./);
  });

  it.each([
    ['/', 307],
    ['/v2', 200],
    ['/__version__', 200],
    ['/v2/__version__', 200],
    ['/__heartbeat__', 200],
    ['/v2/__heartbeat__', 200],
    ['/__lbheartbeat__', 200],
    ['/v2/__lbheartbeat__', 200],
    ['/v2/openapi.json', 200],
  ])('to GET %s', async (path, status) => {
    expect((await documented('GET', path)).status).toBe(status);
  });

  it('to a browser at the root', async () => {
    const { status, headers } = await documented('GET', '/', { headers: { Accept: 'text/html' } });
    expect([status, headers.location]).toEqual([302, `${service.url}/app/`]);
  });
});

describe('the document knows what is answered', () => {
  it('while the identity provider is away', async () => {
    const alone = await another({ OAUTH_URI: 'http://127.0.0.1:9', OAUTH_REDIRECT_DOMAINS: 'localhost' });
    const statuses = [
      await documented('GET', '/v2/acct-oauth/login?redirect=http://localhost/', {}, alone.url),
      await documented('GET', '/v2/articles', { headers: { Authorization: 'Bearer abc' } }, alone.url),
      await documented('GET', '/__heartbeat__', {}, alone.url),
    ].map(({ status }) => status);
    expect(statuses).toEqual([503, 503, 503]);
  });

  it('after the end of support', async () => {
    const ended = await another({ EOS_DATE: '2001-01-01', EOS_MESSAGE: 'Over', EOS_URL: 'https://example.com/' });
    const statuses = [
      await documented('GET', '/v2/articles', { headers: basic }, ended.url),
      await documented('HEAD', '/v2/articles/x', { headers: basic }, ended.url),
      await documented('POST', '/v2/batch', { body: {} }, ended.url),
      await documented('GET', '/v2/acct-oauth/params', {}, ended.url),
      await documented('GET', '/v2', {}, ended.url),
      await documented('GET', '/v2/openapi.json', {}, ended.url),
    ].map(({ status }) => status);
    expect(statuses).toEqual([410, 410, 410, 410, 200, 200]);
  });

  it('when requests are too many, the load is high, and deleting all is switched off', async () => {
    const strict = await another({ RATE_LIMIT_PER_MINUTE: '4', BACKOFF: 'always', DELETE_COLLECTION_ENABLED: 'false' });
    const answers = [
      await documented('GET', '/v2/articles', { headers: basic }, strict.url),
      await documented('POST', '/v2/articles', { headers: basic, body: anArticle() }, strict.url),
      await documented('DELETE', '/v2/articles', { headers: basic }, strict.url),
      await documented('GET', '/v2/articles?_since=0', { headers: basic }, strict.url),
      await documented('GET', '/v2/articles', { headers: basic }, strict.url),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 405, 200, 429]);
    expect(answers.map(({ headers }) => headers.backoff)).toEqual(['30', '30', undefined, '30', undefined]);
  });

  it('by a service with other settings', async () => {
    const other = await another({
      PUBLIC_URL: 'https://list.example.com/base',
      SERVICE_NAME: 'Lists',
      OAUTH_PROVIDER_NAME: 'corp',
      OAUTH_SCOPE: 'lists more',
      BASIC_AUTH_ENABLED: 'false',
    });
    const { info, servers, paths, components, security } = await read(other.url);
    expect(info.title).toBe('Lists');
    expect(servers).toEqual([{ url: 'https://list.example.com/base' }]);
    expect(paths['/v2/corp-oauth/login']).toBeDefined();
    expect(Object.keys(components.securitySchemes)).toEqual(['oauth2', 'bearer']);
    expect(security).toEqual([{ oauth2: [] }, { bearer: [] }]);
    const { oauth2 } = components.securitySchemes as Json;
    expect(Object.keys((oauth2 as Json).flows.authorizationCode.scopes as Json)).toEqual(['lists', 'more']);
  });
});

it('says which operations want credentials', async () => {
  for (const { method, path, says } of operationsOf(document)) {
    const { status } = await exchange(service.url + path.replace('{id}', 'x'), method);
    expect(status === 401, `${method} ${path}`).toBe((says.security as Json[]).length > 0);
  }
});

it('takes the login endpoints from the provider, and a guess while it is away', async () => {
  const endpoints = (it: Document) => (it.components.securitySchemes.oauth2 as Json).flows.authorizationCode as Json;
  expect(endpoints(document).tokenUrl).toBe(`${provider.issuer}/token`);
  const alone = await another({ OAUTH_URI: 'http://127.0.0.1:9/tenant' });
  expect(endpoints(await read(alone.url)).authorizationUrl).toBe('http://127.0.0.1:9/tenant/auth');
});

it('is served to GET and HEAD only, as JSON', async () => {
  const url = `${service.url}/v2/openapi.json`;
  const head = await exchange(url, 'HEAD');
  expect([head.status, head.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  const post = await exchange(url, 'POST');
  expect([post.status, post.headers.allow, post.body!.errno]).toEqual([405, 'GET, HEAD', 115]);
});

it('names every setting that GET /v2 shows, as one that is always there, and in its example', async () => {
  const { body } = await exchange(`${service.url}/v2`, 'GET');
  const shown = Object.keys(body!.settings as Json).sort();
  const { schemas, examples } = document.components as unknown as Record<string, Record<string, Json>>;
  const { properties, required } = schemas!.ServiceSettings as unknown as { properties: Json; required: string[] };
  expect(Object.keys(properties).sort()).toEqual(shown);
  expect(required.toSorted()).toEqual(shown);
  expect(Object.keys((examples!.service!.value as { settings: Json }).settings).sort()).toEqual(shown);
});
