import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DevelopmentProvider, startDevelopmentProvider } from '../../dev/provider.js';
import { launchChromium, photograph } from '../auth/chromium.js';
import { type Service, startService } from '../support/service.js';

let provider: DevelopmentProvider;
let service: Service;

beforeAll(async () => {
  provider = await startDevelopmentProvider({ port: 0 });
  service = await startService({ OAUTH_URI: provider.issuer, DATABASE_URL: 'sqlite::memory:' });
});
afterAll(async () => {
  await service.kill();
  await provider.close();
});

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

  it('fits on a telephone, follows its dark mode, and shows a POST in a few screens', async () => {
    const context = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const telephone = await context.newPage();
    await telephone.goto(`${service.url}/docs`);
    await telephone.click('#operations-articles-createArticle .opblock-summary-control');
    await telephone.waitForSelector('#operations-articles-createArticle .responses-inner');
    const height = (await telephone.locator('#operations-articles-createArticle').boundingBox())!.height;
    const [width, background] = await telephone.evaluate<[number, string]>(
      '[document.documentElement.scrollWidth, getComputedStyle(document.documentElement).backgroundColor]',
    );
    await photograph(telephone, 'docs-telephone');
    await context.close();
    expect(width).toBe(390);
    expect(height).toBeLessThan(7000);
    expect(['rgb(255, 255, 255)', 'rgba(0, 0, 0, 0)']).not.toContain(background);
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
