import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Answer, ScriptedProvider } from '../support/identity-provider.js';
import type { TestApp } from '../support/app.js';
import { HttpBrowser } from './http-browser.js';
import { startLoginApp } from './login-app.js';

const DISCOVERY = '/.well-known/openid-configuration';
const REDIRECT = 'https://app.example.com/#auth:';

let provider: ScriptedProvider;
let service: TestApp;
let browser: HttpBrowser;

beforeEach(async () => {
  provider = await ScriptedProvider.start();
  service = await startLoginApp(provider.issuer);
  browser = new HttpBrowser();
});
afterEach(async () => {
  await service.close();
  await provider.close();
});

const begin = () => browser.visit(`${service.url}/v2/acct-oauth/login?redirect=${encodeURIComponent(REDIRECT)}`);
const beginToCallback = async () => {
  const state = new URL((await begin()).headers.get('location')!).searchParams.get('state')!;
  return `${service.url}/v2/acct-oauth/token?code=the-code&state=${state}`;
};
const errorOf = async (response: Response) => {
  const { code, errno } = (await response.json()) as { code: number; errno: number };
  return `${code} / ${errno}`;
};
const expectUnavailable = async (response: Response) => {
  expect(await errorOf(response)).toBe('503 / 201');
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
};

/** Whether work ends before five seconds have passed, as this process counts them, since the provider was asked for it. */
async function isWithinFiveSeconds(path: string, work: () => Promise<unknown>): Promise<boolean> {
  const done = work().then(() => true);
  const fiveSeconds = expect
    .poll(() => provider.countOf(path), { interval: 5 })
    .toBeGreaterThan(0)
    .then(() => sleep(5_000, false));
  return Promise.race([done, fiveSeconds]);
}

describe('a login begins with 503 / 201', () => {
  it.each<[string, Answer]>([
    ['HTML', { text: '<html>' }],
    ['500', { status: 500, text: '' }],
    ['a closed connection', 'cut'],
    ['another issuer', { json: { issuer: 'https://evil.test' } }],
  ])('when discovery gives %s', async (_, answer) => {
    provider.answers.set(DISCOVERY, answer);
    const response = await begin();
    await expectUnavailable(response);
    expect(response.headers.getSetCookie()).toEqual([]);
  });

  it('within five seconds when the provider hangs', async () => {
    provider.answers.set(DISCOVERY, 'hang');
    expect(await isWithinFiveSeconds(DISCOVERY, async () => expectUnavailable(await begin()))).toBe(true);
  });

  it('for any number of browsers when the provider hangs, and others are served meanwhile', async () => {
    provider.answers.set(DISCOVERY, 'hang');
    const path = `/v2/acct-oauth/login?redirect=${encodeURIComponent(REDIRECT)}`;
    const logins = Array.from({ length: 450 }, () => fetch(`${service.url}${path}`));
    const docs = fetch(`${service.url}/docs`);
    await expect.poll(() => provider.countOf(DISCOVERY)).toBeGreaterThan(0);
    await sleep(500);
    await expect.poll(() => service.status.monitor.inFlight, { timeout: 3_000 }).toBe(0);
    expect((await fetch(`${service.url}/v2/`)).status).toBe(200);
    expect((await docs).status).toBe(200);
    for (const login of logins) await expectUnavailable(await login);
    // One at a time, each for five seconds: on a busy machine the last logins may arrive after the first one has ended.
    expect(provider.countOf(DISCOVERY)).toBeLessThan(5);
    expect(service.status.monitor).toMatchObject({ inFlight: 0, refused: 0 });
  });

  it('when the provider has no login', async () => {
    provider.publish({ authorization_endpoint: undefined });
    await expectUnavailable(await begin());
  });

  it('while the provider is away, and works when it is back', async () => {
    await provider.close();
    await expectUnavailable(await begin());
    await provider.reopen();
    service.setClock(Date.now() - 5 * 86_400_000);
    await expect.poll(async () => (await begin()).status).toBe(302);
  });
});

it('an authorization endpoint with a query of its own keeps it', async () => {
  provider.publish({ authorization_endpoint: `${provider.issuer}/authorize?tenant=a` });
  const { searchParams } = new URL((await begin()).headers.get('location')!);
  expect(searchParams.get('tenant')).toBe('a');
  expect(searchParams.get('state')).toHaveLength(43);
});

it('a login has the parameters of OAUTH_LOGIN_PARAMETERS, which replace none of its own', async () => {
  const parameters = 'audience=https://api.example.com/v1&prompt=login';
  const other = await startLoginApp(provider.issuer, { OAUTH_LOGIN_PARAMETERS: parameters });
  const login = `${other.url}/v2/acct-oauth/login?redirect=${encodeURIComponent(REDIRECT)}`;
  const { searchParams } = new URL((await browser.visit(login)).headers.get('location')!);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    audience: 'https://api.example.com/v1',
    prompt: 'login',
    scope: 'readinglist',
    response_type: 'code',
    state: expect.stringMatching(/^[\w-]{43}$/),
  });
  await other.close();
});

describe('the token endpoint gives', () => {
  const good = { access_token: 'good.token~x+/=', token_type: 'Bearer' };

  it('a token: the login ends with it as it is', async () => {
    provider.answers.set('/token', { json: { ...good, expires_in: 60 } });
    const callback = await beginToCallback();
    const response = await browser.visit(callback);
    expect(response.headers.get('location')).toBe(`${REDIRECT}good.token~x+/=`);
    const { body, authorization } = provider.calls.at(-1)!;
    expect(Object.fromEntries(body)).toMatchObject({
      grant_type: 'authorization_code',
      code: 'the-code',
      redirect_uri: `${service.url}/v2/acct-oauth/token`,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(authorization).toMatch(/^Basic /);
  });

  it.each<[string, Answer, string]>([
    ['invalid_grant', { status: 400, json: { error: 'invalid_grant' } }, '400 / 107'],
    ['access_denied', { status: 400, json: { error: 'access_denied' } }, '400 / 107'],
    ['invalid_client', { status: 401, json: { error: 'invalid_client' } }, '503 / 201'],
    [
      'a challenge',
      { status: 401, json: { error: 'invalid_client' }, headers: { 'www-authenticate': 'Basic realm="x"' } },
      '503 / 201',
    ],
    ['unauthorized_client', { status: 400, json: { error: 'unauthorized_client' } }, '503 / 201'],
    ['HTML', { text: '<html>' }, '503 / 201'],
    ['HTML with 400', { status: 400, text: '<html>' }, '503 / 201'],
    ['500', { status: 500, json: { error: 'server_error' } }, '503 / 201'],
    ['a redirect', { status: 307, headers: { location: '/elsewhere' }, text: '' }, '503 / 201'],
    ['a closed connection', 'cut', '503 / 201'],
    ['no token', { json: { token_type: 'Bearer' } }, '503 / 201'],
    ['no token type', { json: { access_token: 'x' } }, '503 / 201'],
    ['a token of another type', { json: { ...good, token_type: 'DPoP' } }, '503 / 201'],
    ['a token that is not a header text', { json: { ...good, access_token: 'a b#c\r\nd' } }, '503 / 201'],
    ['a list', { json: [good] }, '503 / 201'],
    ['far too much', { json: { ...good, filler: 'x'.repeat(600_000) } }, '503 / 201'],
  ])('%s: %s', async (_, answer, error) => {
    provider.answers.set('/token', answer);
    const response = await browser.visit(await beginToCallback());
    expect(await errorOf(response)).toBe(error);
    // A refused code is spent; when the provider was to blame, the same address may be tried again.
    expect(browser.logins().length).toBe(error === '503 / 201' ? 1 : 0);
    expect(provider.countOf('/elsewhere')).toBe(0);
  });

  it('nothing: 503 / 201 within five seconds, and the same address works later', async () => {
    provider.answers.set('/token', 'hang');
    const callback = await beginToCallback();
    const ended = async () => expectUnavailable(await browser.visit(callback));
    expect(await isWithinFiveSeconds('/token', ended)).toBe(true);
    provider.answers.set('/token', { json: good });
    expect((await browser.visit(callback)).status).toBe(302);
  });

  it('nothing, many times: more than 200 do not wait for it, and none of them counts as load', async () => {
    provider.answers.set('/token', 'hang');
    const callbacks: (() => Promise<Response>)[] = [];
    for (let count = 0; count < 201; count++) {
      browser = new HttpBrowser();
      const [own, callback] = [browser, await beginToCallback()];
      callbacks.push(() => own.visit(callback));
    }
    const finished = callbacks.map((visit) => visit());
    const first = await Promise.race(finished);
    expect(await first.clone().json()).toMatchObject({
      message: 'Too many logins are in progress; try again later',
    });
    await vi.waitFor(() => expect(provider.countOf('/token')).toBe(200), { timeout: 4500, interval: 5 });
    expect(service.status.monitor.inFlight).toBe(0);
    for (const response of finished) await expectUnavailable(await response);
    expect(service.status.monitor).toMatchObject({ inFlight: 0, refused: 0 });
  });
});

it('an answer of the provider is in no error', async () => {
  provider.answers.set('/token', { json: { access_token: 'leaked token', token_type: 'Bearer', scope: 7 } });
  expect(await (await browser.visit(await beginToCallback())).text()).not.toMatch(/leaked|the-code/);
});

it('a wrong client secret is named in the answer and in the heartbeat, also where tokens are not introspected', async () => {
  provider.publish({ introspection_endpoint: undefined });
  provider.answers.set('/token', { status: 401, json: { error: 'invalid_client' } });
  const text = 'the provider refuses OAUTH_CLIENT_ID / OAUTH_CLIENT_SECRET';
  expect(((await (await browser.visit(await beginToCallback())).json()) as { message: string }).message).toContain(
    text,
  );
  const heartbeat = async () => (await fetch(`${service.url}/__heartbeat__`)).json();
  expect(await heartbeat()).toMatchObject({ oauth: false, errno: 201, message: `Not available: oauth (${text})` });
  provider.answers.set('/token', { json: { access_token: 'good', token_type: 'Bearer' } });
  await browser.visit(await beginToCallback());
  const isWell = async () => expect(await heartbeat()).toEqual({ database: true, oauth: true });
  await vi.waitFor(isWell, { timeout: 15_000 });
});

it('a thousand unknown tokens of one address at a slow provider cost another address nothing', async () => {
  const settings = { TRUST_PROXY: 'loopback', RATE_LIMIT_PER_MINUTE: '100000' };
  const behind = await startLoginApp(provider.issuer, settings);
  provider.answers.set('/introspect', async ({ body }) => {
    await sleep(1000);
    const isGood = body.get('token') === 'good';
    return { json: isGood ? { active: true, sub: 'alice', scope: 'readinglist' } : { active: false } };
  });
  const request = (token: string, address: string) =>
    fetch(`${behind.url}/v2/articles`, {
      headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address },
    });
  const flood = Array.from({ length: 1000 }, (_, index) => request(`garbage${index}`, '198.51.100.1'));
  await vi.waitFor(() => expect(provider.countOf('/introspect')).toBeGreaterThan(0), { timeout: 10_000 });
  expect((await request('good', '198.51.100.2')).status).toBe(200);
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect([...new Set(statuses)].sort()).toEqual([401, 503]);
  expect(provider.countOf('/introspect')).toBeLessThan(200);
  await behind.close();
});

it('without a provider a bearer token is unknown, not refused: 503 / 201, not 401', async () => {
  await provider.close();
  await expectUnavailable(await fetch(`${service.url}/v2/articles`, { headers: { authorization: 'Bearer x' } }));
  await provider.reopen();
});
