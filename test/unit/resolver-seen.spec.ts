import type { LocalArticle } from '@reading-list/client';
import { describe, expect, it } from 'vitest';
import { awaitsTitle, isResolverAtWork } from '../../web/src/list/resolver.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NOW = 100 * DAY;
const bare: LocalArticle = {
  key: 'one',
  url: 'https://example.com/a',
  title: null,
  excerpt: '',
  word_count: null,
  is_article: true,
  added_by: 'laptop',
  added_on: NOW - MINUTE,
  stored_on: NOW - MINUTE,
} as LocalArticle;
const resolved = { ...bare, title: 'A', excerpt: 'It begins.', word_count: 300 };

describe('a resolver is at work', () => {
  it.each([
    ['if an article of this device has got a text', resolved, true],
    ['not if it has none', bare, false],
    ['not if another device saved it, perhaps with its text', { ...resolved, added_by: 'phone' }, false],
    ['not if it was imported', { ...resolved, added_on: NOW - 2 * DAY }, false],
    ['not if it is long ago', { ...resolved, added_on: NOW - 40 * DAY, stored_on: NOW - 40 * DAY }, false],
  ])('%s', (_, article, expected) => expect(isResolverAtWork([article], 'laptop', NOW)).toBe(expected));
});

describe('a title follows', () => {
  it.each([
    ['of a new bare URL', {}, true],
    ['of one that is its own title', { title: bare.url }, true],
    ['not if there is one', { title: 'A' }, false],
    ['not if the page was read', { word_count: 300 }, false],
    ['not if it has no text', { is_article: false }, false],
    ['not of what is not a web page', { url: 'ftp://example.com/a' }, false],
    ['not after some minutes', { added_on: NOW - 11 * MINUTE }, false],
  ])('%s', (_, fields, expected) => expect(awaitsTitle({ ...bare, ...fields }, NOW)).toBe(expected));
});
