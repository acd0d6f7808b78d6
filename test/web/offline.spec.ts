import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { aStoredArticle } from '../support/article.js';
import {
  describeWorlds,
  expectTitles,
  isSignedIn,
  openDevice,
  save,
  signInByName,
  someName,
  titles,
  type World,
} from './device.js';

/** A server before the service that can bring another version of the service worker, as a new build would; for one case. */
async function startFront(world: World) {
  const front = { version: '', url: '' };
  const server = createServer((incoming, response) => {
    const headers = { ...incoming.headers, 'accept-encoding': 'identity', 'if-none-match': '' };
    const forwarded = request(world.url + incoming.url!, { method: incoming.method, headers }, (answer) => {
      if (!incoming.url!.endsWith('/sw.js')) {
        response.writeHead(answer.statusCode!, answer.headers);
        return void answer.pipe(response);
      }
      const { 'content-length': _length, ...rest } = answer.headers;
      response.writeHead(answer.statusCode!, rest);
      answer.pipe(response, { end: false });
      answer.on('end', () => response.end(`\n// ${front.version}`));
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  front.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return front;
}

describeWorlds(
  'the page',
  (world) => {
    it('opens without a network, with the list and what was not sent', async () => {
      const name = someName();
      const { page, context, problems, close } = await world.deviceOf(name);
      await save(page, 'https://example.com/a', 'A');
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
      await page.getByText('Up to date').waitFor();
      await context.setOffline(true);
      await save(page, 'https://example.com/b', 'B');
      await page.reload();
      await expectTitles(page, ['B', 'A']);
      await context.setOffline(false);
      await expect.poll(async () => (await (await world.api(name)).list()).length, { timeout: 20_000 }).toBe(2);
      expect(problems).toEqual([]);
      await close();
    });

    it('a new version waits until it is wanted, and loses no edit that was not sent', async () => {
      const name = someName();
      const front = await startFront(world);
      const { page, context, close } = await openDevice(world.browser, `${front.url}/app/`);
      await world.signIn(page, name);
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
      await page.reload();
      await isSignedIn(page);
      await context.setOffline(true);
      await save(page, 'https://example.com/unsent', 'Unsent');
      await context.setOffline(false);
      await context.route('**/v2/**', (route) => route.abort());
      front.version = 'another';
      await page.evaluate(
        'navigator.serviceWorker.getRegistration().then((registration) => registration.update()).then(() => true)',
      );
      await page.getByText('A new version is ready.').waitFor();
      await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).click()]);
      await expectTitles(page, ['Unsent']);
      await context.unroute('**/v2/**');
      // Again, if it joined an attempt that was about to fail.
      const sent = async () => {
        await page.getByRole('button', { name: 'Sync now' }).click();
        return (await (await world.api(name)).list()).map(({ title }) => title);
      };
      await expect.poll(sent, { interval: 1_000, timeout: 20_000 }).toEqual(['Unsent']);
      await close();
    });
  },
  (world) => {
    it('a new version is switched to in each tab, also where another tab did it before', async () => {
      const front = await startFront(world);
      const { page, context, close } = await openDevice(world.browser, `${front.url}/app/`);
      await signInByName(page, someName());
      await save(page, 'https://example.com/a', 'A');
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)');
      await page.reload();
      await isSignedIn(page);
      const other = await context.newPage();
      await other.goto(`${front.url}/app/`);
      await isSignedIn(other);
      front.version = 'another';
      await page.evaluate(
        'navigator.serviceWorker.getRegistration().then((registration) => registration.update()).then(() => true)',
      );
      for (const tab of [page, other]) await tab.getByText('A new version is ready.').waitFor();
      for (const tab of [page, other]) {
        await Promise.all([tab.waitForEvent('load'), tab.getByRole('button', { name: 'Reload' }).click()]);
        await expectTitles(tab, ['A']);
        expect(await tab.getByText('A new version is ready.').count()).toBe(0);
      }
      await close();
    });

    it('of 20,000 articles only those in sight are in the document, however one scrolls', async () => {
      const { page, close } = await openDevice(world.browser, `${world.url}/app/`);
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

    it('the script of the page is at most 60 kB, and the importer, which comes on demand, at most 50 kB', async () => {
      const folder = 'web/dist';
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?js$/.test(name));
      const sizeOf = (which: string[]) =>
        which.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
      const isImporter = (name: string) => name.includes('read-file');
      const all = sizeOf(names.filter((name) => !isImporter(name)));
      expect(names).toContain('sw.js');
      expect(all).toBeGreaterThan(30_000);
      expect(all).toBeLessThanOrEqual(60_000);
      expect(sizeOf(names.filter(isImporter))).toBeLessThanOrEqual(50_000);
      const html = readFileSync(join(folder, 'index.html'), 'utf8');
      expect(names.filter((name) => html.includes(name))).toHaveLength(1);
      expect(names.find((name) => html.includes(name))).not.toContain('read-file');
      expect(names.some((name) => name.includes('read-file'))).toBe(true);

      const { page, context, close } = await openDevice(world.browser, 'about:blank');
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await page.goto(`${world.url}/app/`);
      await page.getByLabel('Name').waitFor();
      const paint = await page.evaluate<number>(
        `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN`,
      );
      console.log(`first contentful paint at 4x slower CPU: ${Math.round(paint)} ms; all script: ${all} bytes gzipped`);
      await close();
    });
  },
);
