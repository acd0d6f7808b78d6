import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createPersonalToken } from '../../../typescript/test/support/personal-token.js';
import { ask, serverArticles } from '../../../typescript/test/support/world.js';
import { buildExtension } from './browser.js';
import { Firefox, REDIRECT_DOMAIN } from './firefox.js';
import { useWorld } from './world.js';

const USER = 'alice';
const SOON = { timeout: 30_000 };
const world = useWorld(REDIRECT_DOMAIN);
const built = mkdtempSync(join(tmpdir(), 'reading-list-built-'));
let firefox: Firefox;
let authorization: string;

beforeAll(async () => {
  buildExtension(built);
  firefox = await Firefox.start(built);
  authorization = `Bearer ${await createPersonalToken(world.databaseUrl, USER, '--name', 'laptop')}`;
  const fields = { title: 'Known for long', added_by: 'phone', word_count: 200, read_position: 50 };
  const url = world.site.publish('/known', article('Known'));
  await ask(world.service.url, authorization, 'POST', '/articles', { ...fields, url });
});
afterEach(async () => {
  await world.proxy.restore();
  await firefox.closePopup();
});
afterAll(async () => {
  await firefox?.close();
  rmSync(built, { recursive: true });
});

const sentence = 'The tide comes in twice a day and nobody has ever thanked it for that.';
const article = (title: string, paragraphs = 8) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><article><h1>${title}</h1>
  ${`<p>${sentence} ${sentence}</p>`.repeat(paragraphs)}</article></body></html>`;
/** Long enough that a few scrolls do not reach its end: a page that was read to the end opens at its top. */
const LONG = article('Offline', 200);

const onServer = () => serverArticles(world.service.url, authorization);

it('asks for the host of the service, and signs in with a personal token', async () => {
  await firefox.openOwn('options.html');
  await firefox.type("//label[contains(., 'Address of the service')]//input", world.url);
  await firefox.click("//button[normalize-space() = 'Connect']");
  expect(await firefox.allow()).toEqual(['http://127.0.0.1/*']);
  await firefox.type("//form[@aria-labelledby = 'withToken']//input", authorization.replace('Bearer ', ''));
  await firefox.click("//form[@aria-labelledby = 'withToken']//button");
  await firefox.says(`Signed in as ${USER}`);
});

it('saves the page by the button, with all its fields', async () => {
  const url = world.site.publish('/tides', article('Tides'));
  await firefox.open(`${url}#part`);
  await firefox.clickButton();
  await firefox.popupSays(/^Tides\n[^]*^Saved$/m);
  const facts = { url, title: 'Tides', resolved_url: url, is_article: true, word_count: 240 };
  await expect
    .poll(onServer, SOON)
    .toContainEqual(expect.objectContaining({ ...facts, added_by: 'Firefox on Linux (extension)' }));
  await expect.poll(() => firefox.badge(), SOON).toBe('✓');
});

it('shows a page of the list as it is there', async () => {
  await firefox.open(`${world.site.publish('/known', article('Known'))}?utm_source=feed`);
  await firefox.clickButton();
  await firefox.popupSays(/^Known for long\n[^]*25% read[^]*Already on your list/m);
});

it('saves a page without the service, and sends it later', async () => {
  await world.proxy.refuse();
  await firefox.open(world.site.publish('/offline', LONG));
  await firefox.clickButton();
  await firefox.popupSays(/Saved[^]*Changes are sent later\. · 1 change to send/);
  await firefox.closePopup();
  expect((await onServer()).length).toBe(2);
  await world.proxy.restore();
  await firefox.clickButton();
  await firefox.popupSays('Already on your list');
  await expect.poll(onServer, SOON).toContainEqual(expect.objectContaining({ title: 'Offline', word_count: 6000 }));
});

it('asks before it sees how far pages are read', async () => {
  await firefox.openOwn('options.html');
  await firefox.click("//label[contains(., 'Remember')]/input");
  expect(await firefox.allow()).toEqual(['http://127.0.0.1/*', 'http://*/*', 'https://*/*']);
  // The page of options writes it down once it has the answer, and the next test leaves the page.
  const stored = "return browser.storage.local.get('preferences')";
  await expect.poll(() => firefox.inPage(stored), SOON).toMatchObject({ preferences: { remembersPositions: true } });
});

it('goes on reading where one stopped, once the user has allowed it', async () => {
  const url = world.site.publish('/offline', LONG);
  await firefox.open(url);
  await expect.poll(() => firefox.badge(), SOON).toBe('✓');
  const position = async () => (await onServer()).find((one) => one.url === url)!.read_position;
  // Again, if nobody was listening yet; and not while it is sent, which waits for the reader to rest.
  const read = async () => {
    await firefox.scroll(400);
    for (let waits = 0; waits < 20 && !(await position()); waits++) await setTimeout(500);
    return position();
  };
  await expect.poll(read, SOON).toBeGreaterThan(0);
  const scrolled = () => firefox.inPage<number>('return scrollY');
  const reopened = async () => {
    await firefox.open('about:blank');
    await firefox.open(url);
    // It goes there once the page is drawn, if the extension was awake when the page was complete.
    for (let waits = 0; waits < 12 && (await scrolled()) <= 100; waits++) await setTimeout(500);
    return scrolled();
  };
  await expect.poll(reopened, SOON).toBeGreaterThan(100);
});

it('signs in by the login of the service', async () => {
  await firefox.openOwn('options.html');
  await firefox.click("//button[normalize-space() = 'Connect']");
  await firefox.click("//button[normalize-space() = 'Sign in with your account']");
  await firefox.inNewWindow(async () => {
    await firefox.type("//input[@name = 'login']", 'dora');
    await firefox.click("//button[normalize-space() = 'Sign in']");
  });
  await firefox.says('Signed in as dora');
});
