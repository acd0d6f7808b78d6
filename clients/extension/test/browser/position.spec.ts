import { resolve } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Plugin, rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromiumArguments, ensureHeadlessShell } from '../../../../test/support/servers/chromium.js';
import { decodeHtml } from '../../../page-reader/src/node/charset.js';
import { readDownload } from '../../../page-reader/src/node/index.js';
import { PAGES, type SavedPage } from '../../../page-reader/test/pages.js';

const ARTICLES = PAGES.filter(({ words }) => words !== undefined);
const WORDS_OFF = 20;

let browser: Browser;
let page: Page;
let program: string;
let follower: string;

async function bundled(file: string): Promise<string> {
  const plugin = '../../without-inner-html.mjs';
  const { withoutInnerHtml } = (await import(plugin)) as { withoutInnerHtml: () => Plugin };
  const input = resolve(import.meta.dirname, '../../src/content', file);
  const bundle = await rolldown({ input, plugins: [withoutInnerHtml()] });
  const { output } = await bundle.generate({ format: 'iife', name: 'positions' });
  return output[0].code;
}

beforeAll(async () => {
  [program, follower] = (await Promise.all(['reading-position.ts', 'position.ts'].map(bundled))) as [string, string];
  browser = await chromium.launch({ executablePath: await ensureHeadlessShell(), args: [...chromiumArguments] });
  page = await browser.newPage();
  const html = new Map(ARTICLES.map(({ url, bytes, contentType }) => [url, decodeHtml(bytes, contentType)]));
  await page.route('**/*', (route) => {
    const body = html.get(route.request().url());
    return body === undefined ? route.abort() : route.fulfill({ contentType: 'text/html; charset=utf-8', body });
  });
});
afterAll(() => browser?.close());

/**
 * Looks for words in the page as it is, without what the extension knows of it: `indexOf` finds where a sequence of words begins,
 * `atLine` is the word at the line where people read.
 */
const SEARCH = `(() => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const all = document.createRange();
    all.selectNodeContents(node);
    if (all.getBoundingClientRect().height === 0) continue;
    if (node.parentElement.closest('script, style, noscript, nav, aside, header, footer, .noprint, .mw-editsection, sup')) continue;
    for (const { segment, index, isWordLike } of segmenter.segment(node.data)) {
      if (!isWordLike) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + segment.length);
      found.push({ segment, range });
    }
  }
  const box = (index) => found[index].range.getBoundingClientRect();
  return {
    box,
    indexOf: (words) => found.findIndex((_, at) => words.every((word, n) => found[at + n]?.segment === word)),
    atLine: () => found.findIndex((_, at) => box(at).bottom > innerHeight * 0.15 + 0.5),
  };
})()`;

/** The words in the middle of the article, and which of its words they are. */
function middleOf(saved: SavedPage): { at: number; words: string[] } {
  const segments = [...new Intl.Segmenter('en', { granularity: 'word' }).segment(readDownload(saved).excerpt)];
  const words = segments.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment);
  const at = Math.floor(words.length / 2);
  return { at, words: words.slice(at, at + 6) };
}

interface Outcome {
  name: string;
  isFound: boolean;
  /** By how many words the place that was noted was off, and the one that was shown again in another window. */
  noted: number;
  shown: number;
}

async function outcomeOf(saved: SavedPage): Promise<Outcome> {
  const { at, words } = middleOf(saved);
  // So low that the end of a short text is not in sight, too: it would count as read.
  await page.setViewportSize({ width: 420, height: 120 });
  await page.goto(saved.url);
  await page.evaluate(`${program}; globalThis.place = new positions.ReadingPosition(document, document.URL);`);
  const noted = await page.evaluate<{ index: number; read: number; line: number }>(`(() => {
    const search = ${SEARCH};
    const index = search.indexOf(${JSON.stringify(words)});
    if (index === -1) return { index, read: 0, line: 0 };
    scrollBy({ top: search.box(index).top - innerHeight * 0.15 + 1, behavior: 'instant' });
    return { index, read: place.read(), line: search.atLine() };
  })()`);
  await page.setViewportSize({ width: 700, height: 320 });
  const shown = await page.evaluate<number>(`(() => {
    const search = ${SEARCH};
    scrollTo({ top: 0, behavior: 'instant' });
    place.show(${at});
    const isAtEnd = scrollY + innerHeight >= document.scrollingElement.scrollHeight - 1;
    const index = search.indexOf(${JSON.stringify(words)});
    // At the end of a page it goes no further: the word is in sight.
    if (index !== -1 && isAtEnd && search.box(index).bottom <= innerHeight) return 0;
    return Math.abs(search.atLine() - index);
  })()`);
  // What was scrolled to, in words of the article, as far as the page could be scrolled.
  const expected = at + noted.line - noted.index;
  return { name: saved.name, isFound: noted.index !== -1, noted: Math.abs(noted.read - expected), shown };
}

it('a place is noted and shown again within 20 words, in another window too, in nine of ten articles', async () => {
  const outcomes: Outcome[] = [];
  for (const saved of ARTICLES) outcomes.push(await outcomeOf(saved));
  const isNear = ({ isFound, noted, shown }: Outcome) => isFound && noted <= WORDS_OFF && shown <= WORDS_OFF;
  const off = outcomes.filter((outcome) => !isNear(outcome));
  expect(outcomes.length).toBeGreaterThan(40);
  expect(off.length / outcomes.length, JSON.stringify(off)).toBeLessThanOrEqual(0.1);
});

it.each([
  ['stays', '', 1],
  ['goes to another page of the application', "history.pushState({}, '', '/another')", 0],
  ['is followed on the next page', "globalThis.readingListPosition('https://example.com/another', 0)", 0],
])('how far a page was read is told for that page alone, if the reader %s', async (_, next, count) => {
  const [saved] = ARTICLES as [SavedPage];
  await page.setViewportSize({ width: 420, height: 320 });
  await page.goto(saved.url);
  const told = await page.evaluate<unknown[]>(`(async () => {
    const told = [];
    globalThis.chrome = { runtime: { sendMessage: (message) => (told.push(message), Promise.resolve()) } };
    ${follower};
    globalThis.readingListPosition(${JSON.stringify(saved.url)}, 0);
    dispatchEvent(new Event('wheel'));
    scrollTo({ top: 2_000, behavior: 'instant' });
    await new Promise((resolve) => setTimeout(resolve, 200));
    ${next};
    await new Promise((resolve) => setTimeout(resolve, 800));
    return told;
  })()`);
  const words = expect.any(Number) as number;
  expect(told).toEqual(Array.from({ length: count }, () => ({ do: 'position', url: saved.url, words })));
});
