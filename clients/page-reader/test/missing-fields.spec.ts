import { describe, expect, it } from 'vitest';
import { isBare, type KnownArticle, missingFields } from '../src/missing-fields.js';
import type { PageFacts } from '../src/index.js';

const URL_ = 'https://site.example/a';
const bare: KnownArticle = {
  url: URL_,
  title: URL_,
  resolved_title: URL_,
  resolved_url: URL_,
  excerpt: '',
  word_count: null,
  is_article: true,
};
const facts: PageFacts = {
  title: 'Tides',
  excerpt: 'The tide',
  word_count: 2,
  is_article: true,
  preview: null,
  resolved_url: 'https://site.example/tides',
};
const all = {
  title: 'Tides',
  resolved_title: 'Tides',
  resolved_url: facts.resolved_url,
  excerpt: 'The tide',
  word_count: 2,
};

describe('what is missing of an article', () => {
  it.each<[string, Partial<KnownArticle>, Partial<KnownArticle>]>([
    ['with the URL as its title', {}, all],
    ['without title', { title: '', resolved_title: '' }, all],
    ['with a null title', { title: null, resolved_title: null }, all],
    ['with a title', { title: 'Mine', resolved_title: 'Mine' }, { ...all, title: undefined }],
    ['with a resolved title', { resolved_title: 'Theirs' }, { ...all, resolved_title: undefined }],
    ['with a resolved URL', { resolved_url: 'https://b.example/' }, { ...all, resolved_url: undefined }],
    ['with an excerpt', { excerpt: 'Mine' }, { ...all, excerpt: undefined, word_count: undefined }],
    ['with a word count', { word_count: 0 }, { ...all, excerpt: undefined, word_count: undefined }],
    ['that is known not to be one', { is_article: false }, { ...all, excerpt: undefined, word_count: undefined }],
  ])('%s', (_, fields, expected) => expect(missingFields({ ...bare, ...fields }, facts)).toEqual(expected));

  it('is that the page is not an article, but not if a device has counted its words', () => {
    const picture = { ...facts, is_article: false, excerpt: '', word_count: null };
    expect(missingFields(bare, picture)).toMatchObject({ is_article: false });
    expect(missingFields({ ...bare, word_count: 7 }, picture)).not.toHaveProperty('is_article');
  });

  it('is asked for only of web pages', () => {
    expect(isBare(bare)).toBe(true);
    expect(isBare({ ...bare, url: 'ftp://site.example/' })).toBe(false);
  });
});
