import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { launchChromium, photograph } from '../auth/chromium.js';
import { type Service, startService } from '../support/service.js';
import { startServiceWith } from '../support/service-with-provider.js';

let provider: DevelopmentProvider;
let service: Service;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ provider, service, close } = await startServiceWith(startDevelopmentProvider({ port: 0 })));
});
afterAll(() => close());

describe('the pages of the documentation', () => {
  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/', 'text/html; charset=utf-8'],
    ['/docs?tab=1', 'text/html; charset=utf-8'],
    ['/docs/initializer.js', 'text/javascript; charset=utf-8'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['/docs/swagger-ui.css', 'text/css; charset=utf-8'],
    ['/docs/favicon-32x32.png', 'image/png'],
    ['/docs/oauth2-redirect.html', 'text/html; charset=utf-8'],
    ['/docs/oauth2-redirect.js', 'text/javascript; charset=utf-8'],
  ])('answer %s with %s, not to be stored', async (path, type) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(service.url + path, { method, redirect: 'manual' });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect((await answer.text()).length > 0).toBe(method === 'GET');
    }
  });

  it.each([
    ['/docs/swagger-ui-bundle.js', 'br'],
    ['/docs/swagger-ui.css', 'br'],
    ['/docs/favicon-32x32.png', null],
  ])('send %s with the content encoding %s', async (path, encoding) => {
    const encoded = await fetch(service.url + path, { headers: { 'accept-encoding': 'br' } });
    expect(encoded.headers.get('content-encoding')).toBe(encoding);
    const plain = await fetch(service.url + path, { headers: { 'accept-encoding': 'identity' } });
    expect(Buffer.compare(Buffer.from(await encoded.arrayBuffer()), Buffer.from(await plain.arrayBuffer()))).toBe(0);
  });

  it.each([
    '/docs/index.html',
    '/docs/package.json',
    '/docs/a/b',
    '/docs//',
    '/docs/..%2fpackage.json',
    '/docs/__proto__',
  ])('answer 404 for %s', async (path) => {
    const answer = await fetch(service.url + path, { redirect: 'manual' });
    expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ errno: 111 })]);
  });

  it('answer 405 to other verbs', async () => {
    const answer = await fetch(`${service.url}/docs`, { method: 'POST' });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('name no other origin', async () => {
    for (const path of ['/docs', '/docs/', '/docs/initializer.js'])
      expect(await (await fetch(service.url + path)).text()).not.toMatch(/https?:/);
  });

  it('go on answering after the end of support', async () => {
    const ended = await startService({ EOS_DATE: '2001-01-01', DATABASE_URL: 'sqlite::memory:' });
    const answers = await Promise.all(['/docs', '/docs/swagger-ui.css'].map((path) => fetch(ended.url + path)));
    await ended.kill();
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('name no client in production, where nobody knows one', async () => {
    const inProduction = await startService({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://list.example.com',
      DATABASE_URL: 'sqlite::memory:',
      USER_ID_SECRET: 'u'.repeat(32),
      SESSION_SECRET: 's'.repeat(32),
      OAUTH_URI: provider.issuer,
      OAUTH_CLIENT_ID: 'reading-list',
      OAUTH_CLIENT_SECRET: 'secret',
    });
    const script = await (await fetch(`${inProduction.url}/docs/initializer.js`)).text();
    await inProduction.kill();
    expect(script).toContain('"clientId":""');
  });
});

describe('in a browser', () => {
  let browser: Browser;
  let page: Page;
  const requested: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ viewport: { width: 1200, height: 1400 } });
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    // The start of a browser can take so much of the machine that the service is full for a moment.
    await vi.waitFor(async () => expect((await fetch(`${service.url}/v2/openapi.json`)).status).toBe(200), 20_000);
    await page.goto(`${service.url}/docs`);
    await page.waitForSelector('#operations-articles-listArticles');
  });
  afterAll(() => browser.close());

  it('shows every operation and loads nothing from elsewhere', async () => {
    expect(await page.locator('.opblock').count()).toBeGreaterThan(20);
    expect(new Set(requested.map((url) => new URL(url).origin))).toEqual(new Set([service.url]));
    expect(complaints).toEqual([]);
    await photograph(page, 'docs');
  });

  /** The height of an operation's description, opened. */
  const heightOf = async (where: Page, name: string) => {
    const operation = where.locator(`#operations-${name}`);
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.responses-inner').waitFor();
    return (await operation.boundingBox())!.height;
  };

  it('fits on a telephone, follows its dark mode, and shows a POST in a few screens', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const telephone = await context.newPage();
    await telephone.goto(`${service.url}/docs`);
    const height = await heightOf(telephone, 'articles-createArticle');
    const [width, background] = await telephone.evaluate<[number, string]>(
      '[document.documentElement.scrollWidth, getComputedStyle(document.documentElement).backgroundColor]',
    );
    await photograph(telephone, 'docs-telephone');
    await context.close();
    expect(width).toBe(390);
    expect(height).toBeLessThan(4000);
    expect(['rgb(255, 255, 255)', 'rgba(0, 0, 0, 0)']).not.toContain(background);
  });

  it('shows a POST in three screens of a desktop, with what is cut within reach', async () => {
    const desktop = await browser.newPage({ viewport: { width: 1200, height: 1400 } });
    await desktop.goto(`${service.url}/docs`);
    const height = await heightOf(desktop, 'articles-createArticle');
    const headers = desktop.locator('#operations-articles-createArticle .response[data-code="403"] .headers-wrapper');
    await headers.getByText('X-Request-Id', { exact: true }).scrollIntoViewIfNeeded();
    await photograph(desktop, 'docs-post');
    await desktop.close();
    expect(height).toBeLessThan(3 * 1400);
  });

  it('offers the batch to bearer tokens only: Basic credentials open the other operations, and are not sent with it', async () => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 1400 } });
    const desktop = await context.newPage();
    await desktop.goto(`${service.url}/docs`);
    const batch = desktop.locator('#operations-batch-runBatch');
    const lock = (name: string) => desktop.locator(`#operations-${name} .opblock-summary .authorization__btn`);

    await lock('batch-runBatch').click();
    expect(await desktop.locator('.auth-container h4').allInnerTexts()).toEqual([
      expect.stringMatching(/^oauth2\b/),
      expect.stringMatching(/^bearer\b/),
    ]);
    await desktop.click('.close-modal');

    await lock('articles-listArticles').click();
    const basic = desktop.locator('.auth-container', { hasText: 'basic' });
    await basic.locator('input[name=username]').fill('me');
    await basic.locator('input[name=password]').fill('secret');
    await basic.locator('button.authorize').click();
    await desktop.click('.close-modal');
    expect(await lock('articles-listArticles').getAttribute('aria-label')).toMatch(/ locked$/);
    expect(await lock('batch-runBatch').getAttribute('aria-label')).toMatch(/ unlocked$/);

    await batch.locator('.opblock-summary-control').click();
    expect(await batch.locator('.opblock-description').innerText()).toContain('bearer tokens only');
    await batch.locator('.try-out__btn').click();
    const sent = desktop.waitForResponse((response) => response.url().endsWith('/v2/batch'));
    await batch.locator('.execute').click();
    const answer = await sent;
    expect(await answer.request().headerValue('authorization')).toBeNull();
    expect([answer.status(), await answer.json()]).toEqual([
      401,
      expect.objectContaining({ errno: 104, message: 'A bearer token is required' }),
    ]);
    const shown = batch.locator('.live-responses-table .response .response-col_description');
    await shown.getByText('A bearer token is required').first().waitFor();
    expect((await shown.boundingBox())!.height).toBeGreaterThan(8 * 16);
    await context.close();
  });

  it('signs in at the identity provider and sends requests with the token', async () => {
    await page.click('.btn.authorize');
    const popup = page.waitForEvent('popup');
    const oauth = page.locator('.auth-container', { hasText: 'authorizationCode' });
    await oauth.getByText('select all').click();
    await oauth.locator('button.authorize').click();
    const login = await popup;
    await login.fill('input[name=login]', 'alice');
    await login.click('button[type=submit]');
    await oauth.getByText('Logout').waitFor();
    await page.click('.close-modal');

    await page.click('#operations-articles-listArticles .opblock-summary-control');
    await page.click('#operations-articles-listArticles .try-out__btn');
    const sent = page.waitForResponse((response) => response.url().includes('/v2/articles'));
    await page.click('#operations-articles-listArticles .execute');
    const answer = await sent;
    expect([answer.status(), await answer.json()]).toEqual([200, { items: [] }]);
    expect(answer.request().url()).toBe(`${service.url}/v2/articles`);
    expect(await answer.request().headerValue('authorization')).toMatch(/^Bearer ./);
    expect(complaints).toEqual([]);
  });
});
