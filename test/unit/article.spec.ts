import { describe, expect, it } from 'vitest';
import { changedFields, newArticle, patchArticle, patchResponse } from '../../src/articles/article.js';
import { FIELD_NAMES } from '../../src/protocol/fields.js';
import { aStoredArticle } from '../support/article.js';
import { refusal } from './refusal.js';

const NOW = 1_750_000_000_000;
const MINIMUM = { url: 'https://example.com/a', title: 'A', added_by: 'laptop' };
const created = (fields: Record<string, unknown> = {}) => newArticle({ ...MINIMUM, ...fields }, 'an-id', NOW);

describe('a new article', () => {
  it('has every default when only the required fields are sent', () => {
    expect(Object.keys(created())).toEqual(FIELD_NAMES.filter((field) => field !== 'last_modified'));
    expect(created()).toMatchObject({
      id: 'an-id',
      url: 'https://example.com/a',
      preview: null,
      title: 'A',
      resolved_url: 'https://example.com/a',
      resolved_title: 'A',
      excerpt: '',
      archived: false,
      favorite: false,
      is_article: true,
      word_count: null,
      unread: true,
      added_by: 'laptop',
      added_on: NOW,
      stored_on: NOW,
      marked_read_by: null,
      marked_read_on: null,
      read_position: 0,
    });
  });

  it('has what is sent', () => {
    const fields = {
      preview: 'https://example.com/a.png',
      title: 'B',
      resolved_url: 'https://example.com/b',
      resolved_title: 'C',
      excerpt: ' kept ',
      archived: true,
      favorite: true,
      is_article: false,
      word_count: 0,
      unread: false,
      added_on: 0,
      marked_read_by: 'phone',
      marked_read_on: 5,
      read_position: 7,
    };
    expect(created(fields)).toMatchObject(fields);
  });

  it.each([
    'preview',
    'resolved_url',
    'resolved_title',
    'excerpt',
    'archived',
    'favorite',
    'is_article',
    'word_count',
    'unread',
    'added_on',
    'marked_read_by',
    'marked_read_on',
    'read_position',
  ])('has the default of %s when null is sent', (field) => {
    expect(created({ [field]: null })).toEqual(created());
  });

  it.each([
    [{ title: null }, { title: null, resolved_title: null }],
    [{ title: '' }, { title: '', resolved_title: '' }],
    [
      { title: null, resolved_title: 'R' },
      { title: null, resolved_title: 'R' },
    ],
    [
      { title: 'T', resolved_title: '' },
      { title: 'T', resolved_title: '' },
    ],
    [
      { title: ' pad ', resolved_title: null },
      { title: 'pad', resolved_title: 'pad' },
    ],
    [{ preview: '' }, { preview: null }],
    [{ preview: ' ' }, { preview: null }],
    [{ resolved_url: '' }, { resolved_url: 'https://example.com/a' }],
    [{ url: ' https://example.com/b ' }, { url: 'https://example.com/b', resolved_url: 'https://example.com/b' }],
  ])('made of %j has %j', (sent, stored) => {
    expect(created(sent)).toMatchObject(stored);
  });

  it.each<Record<string, unknown>>([
    { id: 'mine' },
    { id: {} },
    { last_modified: 'yesterday' },
    { stored_on: -1 },
    { deleted: true },
    { _id: 5 },
    { status: 'unread' },
    { constructor: 1 },
  ])('ignores %j', (fields) => {
    expect(created(fields)).toEqual(created());
  });

  it('takes no field from a prototype', () => {
    const body: unknown = JSON.parse(
      `{"__proto__": {"archived": true}, "url": "http://a/", "title": "", "added_by": "b"}`,
    );
    expect(newArticle(body, 'an-id', NOW).archived).toBe(false);
    expect(refusal(() => newArticle(Object.create(MINIMUM), 'an-id', NOW)).message).toBe('added_by: missing');
  });

  it.each([
    [undefined, 108, 'added_by: missing'],
    [{}, 108, 'added_by: missing'],
    [{ ...MINIMUM, added_by: undefined }, 108, 'added_by: missing'],
    [{ ...MINIMUM, added_by: null }, 108, 'added_by: missing'],
    [{ ...MINIMUM, title: undefined }, 108, 'title: missing'],
    [{ ...MINIMUM, url: undefined }, 108, 'url: missing'],
    [{ ...MINIMUM, url: null }, 108, 'url: missing'],
    [{ added_by: 'a', archived: 'maybe' }, 109, 'archived: not a boolean'],
    [{ archived: 'maybe' }, 108, 'added_by: missing'],
    [{ ...MINIMUM, unread: 'maybe', word_count: 'many' }, 109, 'unread: not a boolean'],
    [{ ...MINIMUM, url: '' }, 109, 'url: not an absolute URL with a host'],
    [{ ...MINIMUM, url: ' ' }, 109, 'url: not an absolute URL with a host'],
    [{ ...MINIMUM, url: 'www.example.com' }, 109, 'url: not an absolute URL with a host'],
    [{ ...MINIMUM, preview: 'x' }, 109, 'preview: not an absolute URL with a host'],
    [{ ...MINIMUM, added_by: ' ' }, 109, 'added_by: empty device name'],
    [{ ...MINIMUM, excerpt: '\0' }, 109, 'excerpt: NUL character'],
    [{ ...MINIMUM, word_count: -1 }, 109, 'word_count: not an integer >= 0'],
    [[], 109, 'The body is not a JSON object'],
    [null, 109, 'The body is not a JSON object'],
    ['text', 109, 'The body is not a JSON object'],
    [5, 109, 'The body is not a JSON object'],
    [true, 109, 'The body is not a JSON object'],
  ])('is not made of %j', (body, errno, message) => {
    expect(refusal(() => newArticle(body, 'an-id', NOW))).toEqual({ code: 400, errno, message });
  });

  it('is refused at once where a megabyte of letters that lower case lengthens is to be a boolean', () => {
    const start = performance.now();
    const text = 'İ'.repeat(1_000_000);
    expect(refusal(() => newArticle({ ...MINIMUM, archived: text }, 'an-id', NOW)).errno).toBe(109);
    expect(performance.now() - start).toBeLessThan(30);
  });
});

describe('a patched article', () => {
  it.each([
    { title: 'B' },
    { excerpt: 'text' },
    { favorite: true },
    { archived: true },
    { is_article: false },
    { read_position: 5 },
    { word_count: 9 },
    { resolved_url: 'https://example.com/b' },
    { resolved_title: 'B' },
  ])('has %j', (change) => {
    const stored = aStoredArticle();
    expect(patchArticle(stored, change)).toEqual({ ...stored, ...change });
  });

  it.each([
    [{ unread: 'FALSE' }, { unread: false }],
    [{ favorite: 1 }, { favorite: true }],
    [{ read_position: ' 5 ' }, { read_position: 5 }],
    [{ title: ' pad ' }, { title: 'pad' }],
    [{ title: null }, { title: null }],
    [
      { title: null, resolved_title: null },
      { title: null, resolved_title: null },
    ],
    [
      { title: 'B', resolved_title: null },
      { title: 'B', resolved_title: 'B' },
    ],
    [{ resolved_title: '' }, { resolved_title: '' }],
  ])('made by %j has %j', (change, expected) => {
    const stored = aStoredArticle();
    expect(patchArticle(stored, change)).toEqual({ ...stored, ...expected });
  });

  it.each([
    [{ word_count: 5 }, { word_count: null }, { word_count: null }],
    [{ excerpt: 'text' }, { excerpt: null }, { excerpt: '' }],
    [{ resolved_title: 'R' }, { resolved_title: null }, { resolved_title: 'A' }],
    [{ resolved_url: 'https://r/' }, { resolved_url: null }, { resolved_url: 'https://example.com/a' }],
    [{ resolved_url: 'https://r/' }, { resolved_url: '' }, { resolved_url: 'https://example.com/a' }],
  ])('of one with %j made by %j has %j', (before, change, after) => {
    const stored = aStoredArticle(before);
    expect(patchArticle(stored, change)).toEqual({ ...stored, ...after });
  });

  it.each([
    {},
    { title: 'A' },
    { title: '  A\n' },
    { unread: 'True', favorite: 0, read_position: '0', word_count: null },
    { favorite: null, archived: null, is_article: null, unread: null, read_position: null },
    { resolved_url: null, resolved_title: null, excerpt: null },
    { marked_read_by: 'phone', marked_read_on: 5 },
    { marked_read_by: 5, marked_read_on: 'never' },
    { colour: 'red', _id: 1, deleted: true, status: 'x' },
    { preview: '' },
    { preview: null },
    { last_modified: '1700000000000', added_by: ' laptop ', url: 'https://example.com/a ' },
    { id: '11111111-2222-4333-8444-555555555555'.toUpperCase() },
    aStoredArticle(),
  ])('is the stored one itself when nothing changes: %j', (change) => {
    const stored = aStoredArticle();
    expect(patchArticle(stored, change)).toBe(stored);
  });
});

describe('reading', () => {
  const unread = aStoredArticle();
  const read = aStoredArticle({ unread: false, marked_read_by: 'phone', marked_read_on: 5, read_position: 10 });
  it.each([
    [
      'is recorded with its marks',
      unread,
      { unread: false, marked_read_by: 'tv', marked_read_on: '7' },
      {
        unread: false,
        marked_read_by: 'tv',
        marked_read_on: 7,
      },
    ],
    ['is recorded without marks', unread, { unread: false }, { unread: false }],
    [
      'is recorded with null marks',
      unread,
      { unread: false, marked_read_by: null, marked_read_on: null },
      { unread: false },
    ],
    [
      'forgets marks that are not sent again',
      aStoredArticle({ marked_read_by: 'x', marked_read_on: 1 }),
      { unread: false },
      {
        unread: false,
        marked_read_by: null,
        marked_read_on: null,
      },
    ],
    [
      'stores the position that comes with it',
      unread,
      { unread: false, read_position: 3 },
      {
        unread: false,
        read_position: 3,
      },
    ],
    ['happens once', read, { unread: false, marked_read_by: 'tv', marked_read_on: 9 }, {}],
    ['keeps its marks when they are sent alone', read, { marked_read_by: 'tv', marked_read_on: 9 }, {}],
    ['moves on', read, { unread: false, read_position: 11 }, { read_position: 11 }],
    ['never moves back', read, { read_position: 9 }, {}],
    [
      'starts over',
      read,
      { unread: true, marked_read_by: 'tv', marked_read_on: 9, read_position: 99 },
      {
        unread: true,
        marked_read_by: null,
        marked_read_on: null,
        read_position: 0,
      },
    ],
    ['moves on while unread', unread, { unread: true, read_position: 4 }, { read_position: 4 }],
    ['never moves back while unread', aStoredArticle({ read_position: 5 }), { unread: true, read_position: 4 }, {}],
  ])('%s', (_, stored, change, expected) => {
    expect(patchArticle(stored, change)).toEqual({ ...stored, ...expected });
  });

  it.each([
    [{ unread: false, marked_read_by: ' ' }, 'marked_read_by: empty device name'],
    [{ unread: false, marked_read_by: 5, read_position: -1, archived: true }, 'marked_read_by: not a string'],
    [{ unread: false, marked_read_by: 'a', marked_read_on: 'never' }, 'marked_read_on: not an integer >= 0'],
    [{ unread: false, marked_read_by: 5, archived: 5 }, 'archived: not a boolean'],
  ])('is not recorded by %j', (change, message) => {
    expect(refusal(() => patchArticle(unread, change))).toEqual({ code: 400, errno: 109, message });
  });
});

describe('a PATCH is refused', () => {
  const stored = aStoredArticle({ preview: 'https://example.com/p' });
  it.each([
    [undefined, 108, 'The body is missing'],
    [null, 109, 'The body is not a JSON object'],
    [[], 109, 'The body is not a JSON object'],
    ['text', 109, 'The body is not a JSON object'],
    [{ id: '22222222-2222-4333-8444-555555555555' }, 109, 'id: is read-only'],
    [{ id: 5 }, 109, 'id: is read-only'],
    [{ last_modified: 5 }, 109, 'last_modified: is read-only'],
    [{ url: 'https://example.com/b' }, 109, 'url: is read-only'],
    [{ url: 'https://example.com/A' }, 109, 'url: is read-only'],
    [{ url: '' }, 109, 'url: is read-only'],
    [{ stored_on: 5 }, 109, 'stored_on: is read-only'],
    [{ added_by: 'tv' }, 109, 'added_by: is read-only'],
    [{ added_by: '' }, 109, 'added_by: is read-only'],
    [{ added_on: 5 }, 109, 'added_on: is read-only'],
    [{ added_on: 'never' }, 109, 'added_on: is read-only'],
    [{ preview: 'https://example.com/q' }, 109, 'preview: is read-only'],
    [{ preview: '' }, 109, 'preview: is read-only'],
    [{ url: 'x', added_by: 'tv', id: 5 }, 109, 'added_by: is read-only'],
    [{ archived: 'maybe', url: 'x' }, 109, 'url: is read-only'],
    [{ unread: 'maybe', archived: 'maybe' }, 109, 'archived: not a boolean'],
    [{ unread: 'maybe', marked_read_by: 5 }, 109, 'unread: not a boolean'],
    [{ word_count: 1.5 }, 109, 'word_count: not an integer >= 0'],
    [{ title: 'x'.repeat(1025) }, 109, 'title: longer than 1024 characters'],
    [{ title: 5 }, 109, 'title: not a string'],
    [{ resolved_url: 'www.example.com' }, 109, 'resolved_url: not an absolute URL with a host'],
    [{ excerpt: '\0' }, 109, 'excerpt: NUL character'],
    [{ read_position: -1 }, 109, 'read_position: not an integer >= 0'],
  ])('for %j', (body, errno, message) => {
    expect(refusal(() => patchArticle(stored, body))).toEqual({ code: 400, errno, message });
  });
});

describe('the answer to a PATCH', () => {
  const before = aStoredArticle({ unread: false, marked_read_by: 'phone', marked_read_on: 5, read_position: 10 });
  const answer = (behavior: 'full' | 'light' | 'diff', body: Record<string, unknown>) => {
    const patched = patchArticle(before, body);
    const after = patched === before ? before : { ...patched, last_modified: NOW };
    return patchResponse(behavior, before, after, body);
  };

  it('is the whole article by default', () => {
    expect(answer('full', { title: 'B' })).toEqual({ ...before, title: 'B', last_modified: NOW });
  });

  it.each([
    [{}, {}],
    [{ title: 'B' }, { title: 'B' }],
    [{ title: 'A' }, {}],
    [
      { title: ' B ', favorite: 'true', archived: 'false' },
      { title: 'B', favorite: true },
    ],
    [{ unread: true }, { unread: true }],
    [
      { unread: true, read_position: 5 },
      { unread: true, read_position: 0 },
    ],
    [
      { unread: true, marked_read_by: 'tv' },
      { unread: true, marked_read_by: null },
    ],
    [{ read_position: 3 }, {}],
    [{ title: 'B', last_modified: before.last_modified }, { title: 'B' }],
    [{ title: 'B', colour: 'red' }, { title: 'B' }],
    [{ ...before, favorite: true }, { favorite: true }],
  ])('to %j is light: %j', (body, expected) => {
    expect(answer('light', body)).toEqual(expected);
  });

  it.each([
    [{}, {}],
    [{ title: 'B' }, {}],
    [{ title: ' B ' }, { title: 'B' }],
    [{ favorite: 'True', word_count: '42', read_position: '11' }, {}],
    [{ read_position: 3 }, { read_position: 10 }],
    [
      { unread: false, marked_read_by: 'tv', marked_read_on: 9 },
      { marked_read_by: 'phone', marked_read_on: 5 },
    ],
    [
      { marked_read_by: 7, marked_read_on: 'never' },
      { marked_read_by: 'phone', marked_read_on: 5 },
    ],
    [
      { unread: true, marked_read_by: 'tv', read_position: 12 },
      { marked_read_by: null, read_position: 0 },
    ],
    [{ resolved_title: null }, { resolved_title: 'A' }],
    [{ favorite: null }, {}],
    [{ word_count: null }, {}],
    [{ title: 'B', last_modified: before.last_modified }, { last_modified: NOW }],
    [{ colour: 'red' }, {}],
    [{ excerpt: '\ud800' }, { excerpt: '\ufffd' }],
  ])('to %j is what differs: %j', (body, expected) => {
    expect(answer('diff', body)).toEqual(expected);
  });
});

it('tells the fields in which two versions differ', () => {
  const before = aStoredArticle();
  expect(changedFields(before, { ...before, title: null, read_position: 5 })).toEqual(['title', 'read_position']);
});
