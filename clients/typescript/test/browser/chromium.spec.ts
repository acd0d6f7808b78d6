import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { chromiumArguments, ensureHeadlessShell } from '../../../../test/support/servers/chromium.js';
import { basic, serverArticles, startWorld, type World } from '../support/world.js';

const PROGRAM = `
import { createClient, openReadingList } from './dist/index.js';
import { indexedDbStorage } from './dist/storage/indexeddb.js';
import { storageTests } from './dist/storage/suite.js';
window.open_ = async (baseUrl, authorization) => {
  window.conflicts = [];
  window.list = await openReadingList({ client: createClient({ baseUrl, authorization }), storage: indexedDbStorage('list'), device: 'tab' });
};
window.open_.storage = indexedDbStorage;
window.suite = async () => {
  const names = new WeakMap(); let count = 0;
  const open = (name) => { const storage = indexedDbStorage(name); names.set(storage, name); return storage; };
  const failed = [];
  for (const { name, run } of storageTests({ create: () => open('suite ' + ++count), reopen: (storage) => open(names.get(storage)) }))
    await run().catch((error) => failed.push(name + ': ' + error));
  return failed;
};`;

let world: World;
let pages: Server;
let browser: Browser;
let context: BrowserContext;
let user: string;

beforeAll(async () => {
  world = await startWorld({ PAGE_SIZE: '5' });
  const bundle = await rolldown({
    input: 'program',
    cwd: resolve(import.meta.dirname, '../..'),
    plugins: [
      {
        name: 'program',
        resolveId: (id) => (id === 'program' ? resolve(import.meta.dirname, '../../program.js') : null),
        load: (id) => (id.endsWith('/program.js') ? PROGRAM : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife' });
  pages = createServer((_request, response) =>
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><script>${output[0].code}</script>`),
  ).listen(0, '127.0.0.1');
  browser = await chromium.launch({ executablePath: await ensureHeadlessShell(), args: [...chromiumArguments] });
});
afterAll(async () => {
  await browser?.close();
  pages?.close();
  await world?.close();
});
beforeEach(async () => {
  user = basic();
  context = await browser.newContext();
});
afterEach(() => context.close());

async function openTab(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${(pages.address() as AddressInfo).port}/`);
  await page.evaluate(`open_(${JSON.stringify(world.url)}, ${JSON.stringify(user)})`);
  return page;
}
const run = (page: Page, code: string) => page.evaluate<unknown>(code);
const titles = async () => (await serverArticles(world.service.url, user)).map(({ title }) => title).sort();

it('IndexedDB passes the tests of storages', async () => {
  expect(await run(await openTab(), 'suite()')).toEqual([]);
});

it('an update that IndexedDB cannot store rejects, and nothing else does', async () => {
  const page = await openTab();
  const outcome = await run(
    page,
    `(async () => {
      const unhandled = [];
      addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));
      const storage = open_.storage('failing');
      const error = await storage.update([], () => new Map([['a', 1], ['b', () => 1]])).catch(({ name }) => name);
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { error, unhandled, stored: await storage.load() };
    })()`,
  );
  expect(outcome).toEqual({ error: 'DataCloneError', unhandled: [], stored: [] });
});

it('a load that IndexedDB ends rejects, and nothing else does', async () => {
  const page = await openTab();
  const outcome = await run(
    page,
    `(async () => {
      const unhandled = [];
      addEventListener('unhandledrejection', ({ reason }) => unhandled.push(String(reason)));
      const { getAll } = IDBObjectStore.prototype;
      IDBObjectStore.prototype.getAll = function () {
        const request = getAll.call(this);
        this.transaction.abort();
        return request;
      };
      const error = await open_.storage('ended').load().catch(({ name }) => name);
      IDBObjectStore.prototype.getAll = getAll;
      await new Promise((resolve) => setTimeout(resolve, 200));
      return { error, unhandled };
    })()`,
  );
  expect(outcome).toEqual({ error: 'AbortError', unhandled: [] });
});

it('a connection to IndexedDB that is lost without a word is made again', async () => {
  const page = await openTab();
  const outcome = await run(
    page,
    `(async () => {
      const storage = open_.storage('lost');
      const { transaction } = IDBDatabase.prototype;
      const lose = () => {
        IDBDatabase.prototype.transaction = function (...given) {
          IDBDatabase.prototype.transaction = transaction;
          this.close();
          return transaction.apply(this, given);
        };
      };
      await storage.load();
      lose();
      await storage.update([], () => new Map([['a', 1]]));
      lose();
      return Promise.all([storage.load(), storage.load(['a'])]);
    })()`,
  );
  expect(outcome).toEqual([[['a', 1]], [['a', 1]]]);
});

it('two tabs show what the other does at once, and edit the same article without loss', async () => {
  const [one, two] = [await openTab(), await openTab()];
  const key = await run(one, `list.add({ url: 'https://example.com/', title: 'T' }).then(({ key }) => key)`);
  await expect.poll(() => run(two, 'list.count()')).toBe(1);
  await Promise.all([
    run(one, `list.favorite('${String(key)}')`),
    run(two, `list.rename('${String(key)}', 'Renamed')`),
    run(one, `list.archive('${String(key)}')`),
  ]);
  for (const page of [one, two])
    await expect
      .poll(() => run(page, `list.list().then(([a]) => [a.title, a.favorite, a.archived])`))
      .toEqual(['Renamed', true, true]);
  await Promise.all([run(one, 'list.sync()'), run(two, 'list.sync()')]);
  expect(await serverArticles(world.service.url, user)).toMatchObject([
    { title: 'Renamed', favorite: true, archived: true },
  ]);
});

it('goes offline and back, and only one tab syncs by itself', async () => {
  const [one, two] = [await openTab(), await openTab()];
  for (const page of [one, two]) await run(page, 'list.start({ intervalSeconds: 3600 })');
  await context.setOffline(true);
  await run(two, `list.add({ url: 'https://example.com/offline', title: 'Offline' })`);
  expect(await titles()).toEqual([]);
  await context.setOffline(false);
  await expect.poll(titles, { timeout: 30_000 }).toEqual(['Offline']);
  for (const page of [one, two])
    await expect.poll(() => run(page, 'list.list().then(([a]) => a.pending)'), { timeout: 10_000 }).toBe(false);
  await one.close();
  await run(two, `list.add({ url: 'https://example.com/after', title: 'After' })`);
  await expect.poll(titles, { timeout: 30_000 }).toEqual(['After', 'Offline']);
});

it('a removal while offline can be undone, though automatic syncing has tried to send it', async () => {
  const page = await openTab();
  const key = await run(page, `list.add({ url: 'https://example.com/', title: 'T' }).then(({ key }) => key)`);
  await run(page, 'list.sync()');
  await context.setOffline(true);
  await run(page, `list.remove('${String(key)}')`);
  expect(await run(page, 'list.sync().catch(({ kind }) => kind)')).toBe('network');
  expect(await run(page, 'list.undoRemove().then((article) => article?.key)')).toBe(key);
  await context.setOffline(false);
  await run(page, 'list.sync()');
  expect(await titles()).toEqual(['T']);
});

it('a tab that is closed in the middle of a sync leaves everything to the next', async () => {
  const page = await openTab();
  for (let n = 0; n < 12; n++)
    await run(page, `list.add({ url: 'https://example.com/${n}', title: '${n}' }).then(() => 0)`);
  world.proxy.delay(20);
  await run(page, 'void list.sync()');
  await expect.poll(async () => (await titles()).length).toBeGreaterThan(3);
  await page.close();
  await world.proxy.restore();
  const next = await openTab();
  await run(next, 'list.sync()');
  expect((await titles()).length).toBe(12);
  expect(await run(next, 'list.list().then((all) => all.filter(({ pending }) => pending).length)')).toBe(0);
});
