import { expect, it } from 'vitest';
import { KnownUrls } from '../../src/articles/known-urls.js';

const ADA = Buffer.alloc(16, 1);
const BOB = Buffer.alloc(16, 2);

it('expects a URL to be new at first', () => {
  expect(new KnownUrls().isLikely(ADA, 'https://a/')).toBe(false);
});

it('expects a URL that was posted before, whoever stored it, of that user only', () => {
  const known = new KnownUrls();
  known.note(ADA, 'https://a/', false);
  expect(known.isLikely(ADA, 'https://a/')).toBe(true);
  expect(known.isLikely(ADA, 'https://b/')).toBe(false);
  expect(known.isLikely(BOB, 'https://a/')).toBe(false);
});

it('expects every URL after one that was there though nobody expected it, until one is new', () => {
  const known = new KnownUrls();
  known.note(ADA, 'https://a/', true);
  expect(known.isLikely(ADA, 'https://b/')).toBe(true);
  expect(known.isLikely(BOB, 'https://b/')).toBe(false);
  known.note(ADA, 'https://b/', false);
  expect(known.isLikely(ADA, 'https://c/')).toBe(false);
});

it('does not expect every URL after one that was sent twice', () => {
  const known = new KnownUrls();
  known.note(ADA, 'https://a/', false);
  known.note(ADA, 'https://a/', true);
  expect(known.isLikely(ADA, 'https://b/')).toBe(false);
});

it('forgets what was noted longest ago when it is full', () => {
  const known = new KnownUrls(4);
  const urls = ['https://a/', 'https://b/', 'https://c/', 'https://d/', 'https://e/'];
  for (const url of urls) known.note(ADA, url, false);
  expect(urls.map((url) => known.isLikely(ADA, url))).toEqual([false, true, true, true, true]);
});
