import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Development, startDevelopment } from '../../dev/development.js';
import { readSettings } from '../../src/config/settings.js';
import { findFreePort } from '../support/servers/free-port.js';
import { launchChromium, photograph, watchNetwork } from './chromium.js';

let development: Development;
let browser: Browser;
let context: BrowserContext;
let problems: string[];

beforeAll(async () => {
  const settings = readSettings({
    OAUTH_URI: `http://127.0.0.1:${await findFreePort()}`,
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    LOG_LEVEL: 'silent',
  });
  development = await startDevelopment(settings);
  browser = await launchChromium();
});
beforeEach(async () => {
  problems = [];
  context = await browser.newContext();
  context.setDefaultTimeout(15_000);
});
afterEach(() => context.close());
afterAll(async () => {
  await browser?.close();
  await development?.close();
});

const openPage = async (): Promise<Page> => {
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => problems.push(message));
  await page.goto(`${development.signIn}/`);
  return page;
};

const signInAs = async (page: Page, name: string) => {
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
};

const add = async (page: Page, url: string, title: string) => {
  await page.getByLabel('Address').fill(url);
  await page.getByLabel('Title').fill(title);
  await page.getByRole('button', { name: 'Add' }).click();
  await page.getByRole('link', { name: title }).waitFor();
};

const titles = (page: Page) => page.getByRole('listitem').getByRole('link').allTextContents();
const tokenOf = (page: Page) => page.evaluate<string | null>(`sessionStorage.getItem('reading-list-token')`);

describe('on a web page of another address than the service', () => {
  it('a user signs in, adds, marks read and deletes articles, and signs out', async () => {
    const page = await openPage();
    await photograph(page, 'sign-in-1-signed-out');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Name').waitFor();
    await photograph(page, 'sign-in-2-provider');
    await signInAs(page, 'alice');

    await add(page, 'https://example.com/one', 'One');
    await add(page, 'https://example.com/two', 'Two <b>bold</b>');
    expect(await titles(page)).toEqual(['Two <b>bold</b>', 'One']);
    await photograph(page, 'sign-in-3-articles');

    const one = page.getByRole('listitem').filter({ hasText: 'One' });
    await one.getByRole('button', { name: 'Mark read' }).click();
    await page.locator('li.read').waitFor();
    expect(await one.getByRole('button', { name: 'Mark read' }).isVisible()).toBe(false);
    await one.getByRole('button', { name: 'Delete' }).click();
    await one.waitFor({ state: 'detached' });
    expect(await titles(page)).toEqual(['Two <b>bold</b>']);
    expect(await page.getByText('1 articles').isVisible()).toBe(true);

    await page.reload();
    await page.getByRole('link', { name: 'Two' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect([await titles(page), await tokenOf(page), problems]).toEqual([[], null, []]);
    await photograph(page, 'sign-in-4-signed-out-again');
  });

  it('the token is in no address the browser shows, keeps or sends, and in no referrer', async () => {
    const page = await openPage();
    const sent = await watchNetwork(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signInAs(page, 'alice');
    const token = (await tokenOf(page))!;
    expect(token.length).toBeGreaterThan(20);
    expect(page.url()).toBe(`${development.signIn}/`);
    await page.goBack();
    expect(page.url()).not.toContain(token);

    const codes = sent.urls.flatMap((url) => new URL(url).searchParams.get('code') ?? []);
    expect(codes.length).toBe(1);
    expect(sent.urls.join('\n')).not.toContain(token);
    expect(sent.headers.length).toBeGreaterThan(5);
    const referrers = sent.headers.map((headers) => headers.Referer ?? headers.referer ?? '').join('\n');
    for (const secret of [token, ...codes]) expect(referrers).not.toContain(secret);
  });

  it('changes are preceded by CORS preflights, which the service answers', async () => {
    const page = await openPage();
    const sent = await watchNetwork(page);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signInAs(page, 'carol');
    await add(page, 'https://example.com/', 'Example');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('0 articles').waitFor();
    const asked = sent.headers.flatMap((headers) => headers['Access-Control-Request-Method'] ?? []);
    expect(new Set(asked)).toEqual(new Set(['GET', 'POST', 'DELETE']));
    expect(problems).toEqual([]);
  });

  it('two tabs sign in at the same time as two users', async () => {
    const [one, two] = [await openPage(), await openPage()];
    for (const page of [one, two]) {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Name').waitFor();
    }
    await signInAs(two, 'dave');
    await signInAs(one, 'erin');
    await add(one, 'https://example.com/erin', 'of Erin');
    await add(two, 'https://example.com/dave', 'of Dave');
    await one.reload();
    await one.getByRole('link', { name: 'of Erin' }).waitFor();
    expect([await titles(one), await titles(two)]).toEqual([['of Erin'], ['of Dave']]);
  });

  it('a token that is no longer good leads back to the sign-in', async () => {
    const page = await openPage();
    await page.evaluate(`sessionStorage.setItem('reading-list-token', 'no-such-token')`);
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('refused');
    expect(await tokenOf(page)).toBeNull();
  });

  it('a page of an address that is not authorised gets an error and no login', async () => {
    const page = await context.newPage();
    const redirect = encodeURIComponent('https://evil.test/#auth:');
    const response = await page.goto(`${development.service}/v2/acct-oauth/login?redirect=${redirect}`);
    expect(response!.status()).toBe(400);
    expect(JSON.parse(await page.locator('body').innerText())).toMatchObject({ code: 400, errno: 107 });
    expect(await context.cookies()).toEqual([]);
    await photograph(page, 'sign-in-5-refused-redirect');
  });
});
