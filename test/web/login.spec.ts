import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Development, startDevelopment } from '../../dev/development.js';
import { readSettings } from '../../src/config/load-settings.js';
import { launchChromium, photograph, watchNetwork } from '../auth/chromium.js';
import { findFreePort } from '../support/servers/free-port.js';
import { expectTitles, isSignedIn, save, watchProblems } from './device.js';

let development: Development;
let browser: Browser;
let context: BrowserContext;
let problems: string[];

beforeAll(async () => {
  const settings = readSettings({
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    LOG_LEVEL: 'silent',
  });
  // As with the default of OAUTH_URI, at another port.
  development = await startDevelopment({ ...settings, oauthUri: `http://127.0.0.1:${await findFreePort()}` });
  browser = await launchChromium();
});
beforeEach(async () => {
  problems = [];
  context = await browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(20_000);
});
afterEach(() => context.close());
afterAll(async () => {
  await browser?.close();
  await development?.close();
});

const openPage = async (path = '/app/'): Promise<Page> => {
  const page = await context.newPage();
  problems = watchProblems(page);
  await page.goto(development.service + path);
  return page;
};
const toProvider = async (page: Page) => {
  await page.getByRole('button', { name: 'Sign in with your account' }).click();
  await page.getByText('wants to know who you are').waitFor();
};
const signInAs = async (page: Page, name: string) => {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await isSignedIn(page);
};
const signOut = async (page: Page) => {
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
  await page.getByRole('button', { name: 'Sign in with your account' }).waitFor();
};
/** The token that the browser keeps for a user who stays signed in. */
const keptToken = (page: Page) =>
  page.evaluate<string | undefined>(`new Promise((resolve) => {
    const opening = indexedDB.open('reading-list');
    opening.onsuccess = () => {
      const asked = opening.result.transaction('session').objectStore('session').get('current');
      asked.onsuccess = () => (opening.result.close(), resolve(asked.result?.authorization));
    };
  })`);

describe('the login with the provider', () => {
  it('leads there and back to the list, which is there again after a reload, and gone after signing out', async () => {
    const page = await openPage('/');
    await photograph(page, 'web-signed-out');
    await toProvider(page);
    await signInAs(page, 'alice');
    await save(page, 'https://example.com/one', 'One');
    await save(page, 'https://example.com/two', 'Two <b>bold</b>');
    await expectTitles(page, ['Two <b>bold</b>', 'One']);
    await page.reload();
    await expectTitles(page, ['Two <b>bold</b>', 'One']);
    await signOut(page);
    expect([await keptToken(page), problems]).toEqual([undefined, []]);
  });

  it('puts the token into no address that the browser shows, keeps or sends, into no referrer and no other storage', async () => {
    const page = await openPage();
    const sent = await watchNetwork(page);
    await toProvider(page);
    await signInAs(page, 'alice');
    const token = (await keptToken(page))!.replace('Bearer ', '');
    expect(token.length).toBeGreaterThan(20);
    expect(page.url()).not.toContain(token);
    const storages = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    expect(await page.evaluate<string>(storages)).not.toContain(token);
    await page.goBack();
    expect(page.url()).not.toContain(token);

    const codes = sent.urls.flatMap((url) => new URL(url).searchParams.get('code') ?? []);
    expect(codes.length).toBe(1);
    expect(sent.urls.join('\n')).not.toContain(token);
    expect(sent.headers.length).toBeGreaterThan(5);
    const referrers = sent.headers.map((headers) => headers.Referer ?? headers.referer ?? '').join('\n');
    for (const secret of [token, ...codes]) expect(referrers).not.toContain(secret);
  });

  it('that was given up opens no list of a later link without asking', async () => {
    const page = await openPage();
    await toProvider(page);
    await page.goBack();
    await page.getByText('Sign in with a personal token').click();
    await page.getByLabel('Personal token').fill(await development.provider.issue('judy'));
    await page.getByRole('button', { name: 'Sign in', exact: true }).last().click();
    await isSignedIn(page);
    await page.goto(`${development.service}/app/#auth:${await development.provider.issue('mallory')}`);
    await page.getByRole('heading', { name: 'Open another list?' }).waitFor();
  });

  it('keeps the token in memory only, for a user who does not want to stay signed in', async () => {
    const page = await openPage();
    await page.getByLabel('Stay signed in on this device').uncheck();
    await toProvider(page);
    await signInAs(page, 'bob');
    expect(await keptToken(page)).toBeUndefined();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in with your account' }).waitFor();
  });

  it('two tabs begin at the same time as two users, and each ends with its own list', async () => {
    const [one, two] = [await openPage(), await openPage()];
    for (const page of [one, two]) await toProvider(page);
    await signInAs(two, 'dave');
    await save(two, 'https://example.com/dave', 'of Dave');
    await signInAs(one, 'erin');
    await save(one, 'https://example.com/erin', 'of Erin');
    await expectTitles(one, ['of Erin']);
    await expectTitles(two, ['of Dave']);
  });

  it('a token that is no longer good: the page says so, keeps what is not sent, and sends it after the next sign-in', async () => {
    const page = await openPage();
    await toProvider(page);
    const frank = `frank-${Date.now()}`;
    await signInAs(page, frank);
    await save(page, 'https://example.com/before', 'Before');
    // A JWT can't be revoked before its time: the service refuses it for the browser.
    await context.route('**/v2/**', (route) =>
      route.fulfill({ status: 401, json: { code: 401, errno: 105, error: 'Unauthorized', message: 'refused' } }),
    );
    await save(page, 'https://example.com/during', 'During');
    await page.getByText('Your sign-in is no longer valid.').waitFor();
    // Before the service accepts it again, which a sync that is under way would find out.
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await context.unroute('**/v2/**');
    await toProvider(page);
    await signInAs(page, frank);
    await expectTitles(page, ['During', 'Before']);
    await expect.poll(() => page.getByText('Not sent yet').count()).toBe(0);
  });

  it('a page of a domain that is not authorised gets an error and no login', async () => {
    const page = await context.newPage();
    const redirect = encodeURIComponent('https://evil.test/#auth:');
    const response = await page.goto(`${development.service}/v2/acct-oauth/login?redirect=${redirect}`);
    expect(response!.status()).toBe(400);
    expect(JSON.parse(await page.locator('body').innerText())).toMatchObject({ code: 400, errno: 107 });
    expect(await context.cookies()).toEqual([]);
  });
});

describe('a link with a token', () => {
  it('opens the application signed in, and the token leaves the address at once', async () => {
    const token = await development.provider.issue('grace');
    const page = await openPage(`/app/#token=${token}`);
    await isSignedIn(page);
    expect(page.url()).toBe(`${development.service}/app/`);
    expect(await keptToken(page)).toBeUndefined();
    await page.getByRole('button', { name: 'Stay signed in on this device' }).click();
    await expect.poll(() => keptToken(page)).toBe(`Bearer ${token}`);
    await page.reload();
    await isSignedIn(page);
    expect(problems).toEqual([]);
  });

  it('with a token that is not good leads to the ways to sign in, which say why', async () => {
    const page = await openPage('/app/#token=rl_no-such-token');
    await page.getByText('This link is incomplete or no longer valid.').waitFor();
    expect(page.url()).toBe(`${development.service}/app/`);
  });

  it('of the provider that is not good leads there as well, and the page says what is wrong with it', async () => {
    const { provider } = development;
    const page = await openPage(`/app/#auth:${await provider.issue('heidi', { kind: 'id' })}`);
    await page.getByText('The provider’s token is not accepted: it has no scope').waitFor();
    await page.goto('about:blank');
    await page.goto(`${development.service}/app/#auth:${await provider.issue('heidi', { scope: 'openid' })}`);
    await page.getByText('is not accepted: The access token lacks the scope readinglist').waitFor();
    await page.getByRole('button', { name: 'Deutsch' }).click();
    await page.getByText('Das Token des Anbieters wird nicht angenommen: ').waitFor();
  });
});

it('without a provider the page says that it is away, instead of an error for programs', async () => {
  const page = await openPage();
  await context.route('**/acct-oauth/login*', (route) => route.fulfill({ status: 503, json: { code: 503 } }));
  await page.getByRole('button', { name: 'Sign in with your account' }).click();
  await page.getByText('The identity provider cannot be reached at the moment.').waitFor();
});
