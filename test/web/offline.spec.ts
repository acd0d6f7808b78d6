import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { aStoredArticle } from '../support/article.js';
import {
  apiOf,
  expectTitles,
  isSignedIn,
  openDevice,
  save,
  signInByName,
  someName,
  titles,
  useWorld,
} from './device.js';

const world = useWorld();
/** Before the service; it can bring another version of the service worker, as a new build would. */
let front: Server;
let url: string;
let version = '';

beforeAll(async () => {
  front = createServer((incoming, response) => {
    const headers = { ...incoming.headers, 'accept-encoding': 'identity', 'if-none-match': '' };
    const forwarded = request(world.url + incoming.url!, { method: incoming.method, headers }, (answer) => {
      if (!incoming.url!.endsWith('/sw.js')) {
        response.writeHead(answer.statusCode!, answer.headers);
        return void answer.pipe(response);
      }
      const { 'content-length': _length, ...rest } = answer.headers;
      response.writeHead(answer.statusCode!, rest);
      answer.pipe(response, { end: false });
      answer.on('end', () => response.end(`\n// ${version}`));
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => front.once('listening', resolve));
  url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
});
afterAll(() => {
  front?.closeAllConnections();
  front?.close();
});

it('the page opens without a network, with the list and what was not sent', async () => {
  const name = someName();
  const { page, context, problems, close } = await openDevice(world.browser, `${url}/app/`);
  await signInByName(page, name);
  await save(page, 'https://example.com/a', 'A');
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
  await page.getByText('Up to date').waitFor();
  await context.setOffline(true);
  await save(page, 'https://example.com/b', 'B');
  await page.reload();
  await expectTitles(page, ['B', 'A']);
  await context.setOffline(false);
  await expect.poll(async () => (await apiOf(url, name).list()).length, { timeout: 20_000 }).toBe(2);
  expect(problems).toEqual([]);
  await close();
});

it('a new version waits until it is wanted, and loses no edit that was not sent', async () => {
  const name = someName();
  const { page, context, close } = await openDevice(world.browser, `${url}/app/`);
  await signInByName(page, name);
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
  await page.reload();
  await isSignedIn(page);
  await context.setOffline(true);
  await save(page, 'https://example.com/unsent', 'Unsent');
  await context.setOffline(false);
  await context.route('**/v2/**', (route) => route.abort());
  version = 'another';
  await page.evaluate(
    'navigator.serviceWorker.getRegistration().then((registration) => registration.update()).then(() => true)',
  );
  await page.getByText('A new version is ready.').waitFor();
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).click()]);
  await expectTitles(page, ['Unsent']);
  await context.unroute('**/v2/**');
  await page.getByRole('button', { name: 'Sync now' }).click();
  await expect
    .poll(async () => (await apiOf(url, name).list()).map(({ title }) => title), { timeout: 20_000 })
    .toEqual(['Unsent']);
  await close();
});

it('of 20,000 articles only those in sight are in the document, however one scrolls', async () => {
  const { page, close } = await openDevice(world.browser, `${url}/app/`);
  await page.route('**/app/account', (route) => route.fulfill({ json: { account: 'many' } }));
  const items = Array.from({ length: 20_000 }, (_, at) =>
    aStoredArticle({
      id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      last_modified: at + 1,
      url: `https://example.com/${at}`,
      title: `Article ${at}`,
      resolved_url: `https://example.com/${at}`,
      resolved_title: `Article ${at}`,
      added_on: at + 1,
      stored_on: at + 1,
    }),
  );
  await page.route('**/v2/articles*', (route) =>
    route.request().headers()['if-modified-since'] === undefined
      ? route.fulfill({ json: { items }, headers: { 'Last-Modified': '20000', 'Total-Records': '20000' } })
      : route.fulfill({ status: 304, headers: { 'Last-Modified': '20000' } }),
  );
  await signInByName(page, 'anybody');
  await page.getByRole('link', { name: 'Unread 20,000' }).waitFor({ timeout: 60_000 });
  for (const part of [0, 0.25, 0.5, 0.99]) {
    await page.evaluate(
      `{ const list = document.querySelector('.list-scroller'); list.scrollTop = list.scrollHeight * ${part}; }`,
    );
    await expect
      .poll(async () => Number((await titles(page)).at(-1)!.split(' ')[1]))
      .toBeLessThan(20_000 * (1 - part) + 1);
    expect(await page.locator('.list .row').count()).toBeLessThan(60);
  }
  await page.keyboard.press('j');
  await expect.poll(() => page.locator('.row-main:focus').count()).toBe(1);
  await close();
});

it('what a first visit loads is at most 60 kB of script, and the importer comes on demand', async () => {
  const folder = 'web/dist/assets';
  const html = readFileSync('web/dist/index.html', 'utf8');
  const sizes = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => [name, gzipSync(readFileSync(join(folder, name))).length] as const);
  const first = sizes.filter(([name]) => html.includes(name)).reduce((sum, [, size]) => sum + size, 0);
  expect(first).toBeGreaterThan(10_000);
  expect(first).toBeLessThanOrEqual(60 * 1024);
  for (const [, size] of sizes) expect(size).toBeLessThanOrEqual(60 * 1024);

  const { page, context, close } = await openDevice(world.browser, 'about:blank');
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.goto(`${url}/app/`);
  await page.getByLabel('Name').waitFor();
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`,
  );
  console.log(`first contentful paint at 4x slower CPU: ${Math.round(paint)} ms; script: ${first} bytes gzipped`);
  await close();
});
