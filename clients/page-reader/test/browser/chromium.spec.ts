import { resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { type Plugin, rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromiumArguments, ensureHeadlessShell } from '../../../../test/support/servers/chromium.js';
import { decodeHtml } from '../../src/node/charset.js';
import { readDownload } from '../../src/node/index.js';
import { PAGES } from '../pages.js';

let browser: Browser;
let program: string;
let imported: string[];

beforeAll(async () => {
  // As the extension builds it, so that this compares it with Readability as it is, too.
  const plugin = '../../../extension/without-inner-html.mjs';
  const { withoutInnerHtml } = (await import(plugin)) as { withoutInnerHtml: () => Plugin };
  const input = resolve(import.meta.dirname, '../../src/index.ts');
  const bundle = await rolldown({ input, plugins: [withoutInnerHtml()] });
  const { output } = await bundle.generate({ format: 'iife', name: 'reader', minify: true });
  program = output[0].code;
  imported = output[0].imports;
  browser = await chromium.launch({ executablePath: await ensureHeadlessShell(), args: [...chromiumArguments] });
});
afterAll(() => browser?.close());

it('what a content script needs is less than 60 kB and nothing of Node', () => {
  expect(program.length).toBeLessThan(60_000);
  expect(imported).toEqual([]);
});

it('Chromium reads from live pages what Node reads from saved ones, and leaves them as they are', async () => {
  const pages = PAGES.filter(({ name }) => name.endsWith('.html') && name !== 'empty.html');
  const page = await browser.newPage();
  const html = new Map(pages.map(({ url, bytes, contentType }) => [url, decodeHtml(bytes, contentType)]));
  await page.route('**/*', (route) => {
    const body = html.get(route.request().url());
    return body === undefined ? route.abort() : route.fulfill({ contentType: 'text/html; charset=utf-8', body });
  });
  for (const saved of pages) {
    await page.goto(saved.url);
    const live = await page.evaluate<{ facts: object; words: (string | null)[]; isUnchanged: boolean }>(`(() => {
      const markup = () => document.documentElement.outerHTML;
      ${program};
      const before = markup();
      const facts = reader.readPage(document);
      const placed = reader.placeWords(document);
      const words = placed.map((word) => word && word.text.data.slice(word.start, word.end));
      return { facts, words: facts.is_article ? words : [], isUnchanged: markup() === before };
    })()`);
    const facts = readDownload(saved);
    expect(live, saved.name).toMatchObject({ facts, isUnchanged: true });
    expect(live.words.length, saved.name).toBe(facts.word_count ?? 0);
    expect(facts.excerpt.startsWith(live.words[0] ?? ''), saved.name).toBe(true);
    expect(live.words.filter((word) => !word).length, saved.name).toBe(0);
  }
  expect(pages.length).toBeGreaterThan(45);
});
