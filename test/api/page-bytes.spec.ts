import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { deviceWith, type Item } from '../support/device-with.js';
import { client, type Client } from '../support/client.js';

const MAX_BYTES = 65_536;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ MAX_PAGE_BYTES: String(MAX_BYTES), PAGE_SIZE: '300', MAX_BODY_BYTES: '8000000' });
});
afterAll(() => app.close());

async function deviceWithExcerpts(excerpts: string[]): Promise<Client> {
  const articles = excerpts.map((excerpt, at) => ({ title: String(at).padStart(4, '0'), excerpt }));
  return (await deviceWith(app, ...articles)).device;
}

/** The pages of a listing; checks what each has to say, and that HEAD says the same. */
async function pages(device: Client, query: string, total: number): Promise<Item[][]> {
  const found: Item[][] = [];
  for (let path = `/articles?${query}`; ;) {
    const { body, headers, text } = await device.get(path).expect(200);
    const items = body.items as Item[];
    found.push(items);
    expect(items.length).toBeGreaterThan(0);
    if (items.length > 1) expect(Buffer.byteLength(text)).toBeLessThan(MAX_BYTES + 100);
    expect(headers['total-records']).toBe(String(total));
    const head = await device.head(path).expect(200);
    for (const name of ['next-page', 'total-records', 'last-modified']) expect(head.headers[name]).toBe(headers[name]);
    if (headers['next-page'] === undefined) return found;
    path = `/articles${new URL(headers['next-page']).search}`;
  }
}

describe('a page', () => {
  it.each([
    ['text', 'x', 16_000],
    ['quotes, which take two bytes each', '"', 12_000],
    ['control characters, which take six', '\u0001', 6_000],
    ['other alphabets', 'ж', 12_000],
    ['emoji', '😀', 6_000],
  ])('ends by its bytes with %s', async (_, character, length) => {
    const device = await deviceWithExcerpts(Array.from({ length: 7 }, () => character.repeat(length)));
    for (const query of ['', '_since=0', '_sort=title', '_sort=-unread,excerpt', 'unread=true&_limit=3']) {
      const found = await pages(device, query, 7);
      expect(found.length).toBeGreaterThan(2);
      const titles = found.flat().map(({ title }) => title);
      expect(titles.toSorted()).toEqual(['0000', '0001', '0002', '0003', '0004', '0005', '0006']);
      if (query === '_sort=title') expect(titles).toEqual(titles.toSorted());
    }
  });

  it('never ends before its first item', async () => {
    const large = '\u0001'.repeat(16_000);
    const device = await deviceWithExcerpts(['a', large, 'b', large, large]);
    const found = await pages(device, '_sort=title', 5);
    expect(found.map((items) => items.map(({ title }) => Number(title)))).toEqual([[0], [1], [2], [3], [4]]);
  });

  it('is filled as far as the items go', async () => {
    const device = await deviceWithExcerpts(Array.from({ length: 30 }, (_, at) => 'x'.repeat(at * 400)));
    const found = await pages(device, '_sort=title', 30);
    expect(found.flat()).toHaveLength(30);
    const sizes = found.map((items) => Buffer.byteLength(JSON.stringify({ items })));
    for (const size of sizes.slice(0, -1)) expect(size).toBeGreaterThan(MAX_BYTES - 13_000);
  });

  it('of many short items ends by their number', async () => {
    const device = client(app.url);
    for (let at = 0; at < 320; at += 40)
      await Promise.all(
        Array.from({ length: 40 }, () =>
          device
            .post('/articles')
            .send(anArticle({ excerpt: 'short' }))
            .expect(201),
        ),
      );
    const found = await pages(device, '', 320);
    expect(found.flat()).toHaveLength(320);
    expect(new Set(found.flat().map(({ id }) => id)).size).toBe(320);
  });
});
