import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Development, startDevelopment } from '../../dev/development.js';
import { readSettings } from '../../src/config/load-settings.js';
import { findFreePort } from '../support/servers/free-port.js';
import { launchChromium, photograph, watchNetwork } from './chromium.js';

let development: Development;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  const settings = readSettings({
    OAUTH_URI: `http://127.0.0.1:${await findFreePort()}`,
    PORT: '0',
    DATABASE_URL: 'sqlite::memory:',
    LOG_LEVEL: 'silent',
  });
  development = await startDevelopment(settings);
  browser = await launchChromium();
  context = await browser.newContext({ viewport: { width: 1280, height: 1000 } });
  context.setDefaultTimeout(15_000);
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.close();
  await development?.close();
});

const operation = (path: string, method: string) =>
  page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });

/** Tries an operation out; the status that the page shows for the answer. */
const execute = async (path: string, method: string) => {
  const block = operation(path, method);
  const summary = block.locator('.opblock-summary-control');
  if ((await summary.getAttribute('aria-expanded')) !== 'true') {
    await summary.click();
    await block.getByRole('button', { name: 'Try it out' }).click();
  }
  const url = `${development.service}${path}`;
  const [response] = await Promise.all([
    page.waitForResponse((candidate) => candidate.url().split('?')[0] === url),
    block.getByRole('button', { name: 'Execute' }).click(),
  ]);
  const status = String(response.status());
  await block.locator('.live-responses-table .response-col_status').filter({ hasText: status }).first().waitFor();
  return status;
};

describe('in Swagger UI', () => {
  it('the documentation page loads nothing from elsewhere', async () => {
    const sent = await watchNetwork(page);
    await page.goto(`${development.service}/docs`);
    await page.getByRole('button', { name: 'Authorize' }).waitFor();
    const origins = sent.urls.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin);
    expect(new Set(origins)).toEqual(new Set([development.service]));
  });

  it('the articles are closed before Authorize', async () => {
    expect(await execute('/v2/articles', 'get')).toBe('401');
    await photograph(page, 'swagger-ui-1-unauthorised');
  });

  it('Authorize goes through the login of the provider and comes back with a token', async () => {
    const sent = await watchNetwork(page);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.auth-container').filter({ hasText: 'OAuth2' });
    const [popup] = await Promise.all([context.waitForEvent('page'), dialog.locator('button.authorize').click()]);
    await popup.getByLabel('Name').fill('alice');
    await photograph(popup, 'swagger-ui-2-provider');
    await Promise.all([popup.waitForEvent('close'), popup.getByRole('button', { name: 'Sign in' }).click()]);
    await dialog.locator('button', { hasText: 'Logout' }).waitFor();
    await photograph(page, 'swagger-ui-3-authorised');
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(sent.urls).toContain(`${development.provider.issuer}/token`);
  });

  it('the articles are open afterwards', async () => {
    expect(await execute('/v2/articles', 'get')).toBe('200');
    await photograph(page, 'swagger-ui-4-articles');
  });

  it('they are closed again after Logout', async () => {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.auth-container').filter({ hasText: 'OAuth2' });
    await dialog.locator('button', { hasText: 'Logout' }).click();
    await dialog.getByRole('button', { name: 'Close' }).click();
    expect(await execute('/v2/articles', 'get')).toBe('401');
  });
});
