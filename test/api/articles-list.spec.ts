import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type FieldKind,
  fieldsWhere,
  type Kind,
  KINDS,
  MAX_CODE_POINTS,
  QUERY_FIELDS,
  type QueryField,
} from '../../src/protocol/fields.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { deviceWith } from '../support/device-with.js';
import { client, type Client, requireNewUser } from '../support/client.js';
import { createTestDatabase } from '../support/database.js';
import { arrangeValues, compareValues, type FieldValue, valueOf } from '../support/field-values.js';

type Item = Record<string, FieldValue> & { id: string; last_modified: number };

const FIELDS = Object.keys(QUERY_FIELDS) as QueryField[];
const BOOLEANS = FIELDS.filter((field) => KINDS[QUERY_FIELDS[field]].type === 'boolean');
const INTEGERS = FIELDS.filter((field) => KINDS[QUERY_FIELDS[field]].type === 'number');
const TEXTS = FIELDS.filter((field) => !BOOLEANS.includes(field) && !INTEGERS.includes(field));
const mostCharacters = (kind: FieldKind): number => (MAX_CODE_POINTS as Partial<Record<FieldKind, number>>)[kind] ?? 0;
const FOREIGN_TEXT = '88888888-8888-4888-8888-888888888888';
/** An empty value in a filter stands for null where the field cannot hold an empty text. */
const NULLABLE: readonly QueryField[] = fieldsWhere(
  ({ kind, nullable }) => nullable === true && !(KINDS[kind] as Kind).mayBeEmpty,
);
const orNull = (field: QueryField): null[] => (NULLABLE.includes(field) ? [null] : []);

let app: TestApp;
/** A user whose articles no test changes, and all of them: live ones and tombstones, the last changed first. */
let device: Client;
let items: Item[];

beforeAll(async () => {
  app = await startApp();
  device = client(app.url);
  const created: Item[] = [];
  for (const fields of [
    { url: 'https://a.example/1', title: 'Apple', word_count: 9, added_on: 5, excerpt: 'b' },
    { url: 'https://b.example/', title: 'apple', word_count: 10, unread: false, added_by: 'phone', read_position: 100 },
    { url: 'https://a.example/10', title: '', preview: 'https://p.example/', marked_read_by: 'tv', marked_read_on: 7 },
    { url: 'https://A.example/1', title: null, resolved_title: 'R', archived: true, favorite: true, word_count: 0 },
    { url: 'https://a.example/😀', title: '😀', resolved_url: 'https://r.example/', is_article: false, added_by: 'TV' },
    { url: 'https://a.example/\uffee', title: '\uffee', marked_read_by: 'phone', marked_read_on: 10, excerpt: ' ' },
    { url: 'https://gone.example/1', title: 'Gone', unread: false },
    { url: 'https://gone.example/2', title: 'Gone', favorite: true },
  ])
    created.push((await device.post('/articles').send(anArticle(fields)).expect(201)).body as Item);
  for (const { id } of created.slice(-2)) await device.delete(`/articles/${id}`).expect(200);
  items = (await device.get('/articles?_since=0&_sort=-last_modified').expect(200)).body.items as Item[];
});
afterAll(() => app.close());

/** Ends a case that counts tombstones if the given test user has some of an earlier run. */
function requireKnownTombstones(): void {
  if (items.length !== 8) requireNewUser(device);
}

/** What is filtered on `last_modified` is listed in the order of time. */
const deltas = (): Item[] => items.toReversed();
const live = (): Item[] => items.filter(({ deleted }) => !deleted);
const idsOf = (list: Item[]): string[] => list.map(({ id }) => id);

const MATCHES: Record<string, (stored: FieldValue, given: FieldValue) => boolean> = {
  '': (stored, given) => stored === given,
  not_: (stored, given) => stored !== given,
  min_: (stored, given) => stored !== null && given !== null && compareValues(stored, given) >= 0,
  max_: (stored, given) => stored !== null && given !== null && compareValues(stored, given) <= 0,
  gt_: (stored, given) => stored !== null && given !== null && compareValues(stored, given) > 0,
  lt_: (stored, given) => stored !== null && given !== null && compareValues(stored, given) < 0,
};

/** Two values that the field has in the seed, one that it has not, and null where it can be. */
function valuesFor(field: QueryField): FieldValue[] {
  const stored = items.map((item) => valueOf(item, field)).filter((value) => value !== null);
  if (stored.length === 0) throw new Error(`${field}: no article that is created above has a value`);
  if (BOOLEANS.includes(field)) {
    if (new Set(stored).size < 2) throw new Error(`${field}: the articles created above need both true and false`);
    return [true, false, ...orNull(field)];
  }
  const foreign = INTEGERS.includes(field) ? 8 : FOREIGN_TEXT;
  return [...new Set([stored[0]!, stored.at(-1)!, foreign, ...orNull(field)])];
}

describe('the listing', () => {
  it('is empty for a new user', async () => {
    const { body, headers } = await client(app.url).get('/articles').expect(200);
    expect(body).toEqual({ items: [] });
    expect(headers['total-records']).toBe('0');
    expect(headers['last-modified']).toMatch(/^\d{13}$/);
    expect(headers).not.toHaveProperty('next-page');
  });

  it.each(['', '?', '?&', '?_unknown=1', '?_sort=', '?_token=', '?_sort=&_token='])(
    'holds all live articles, the last changed first, for %j',
    async (query) => {
      const { body, headers } = await device.get(`/articles${query}`).expect(200);
      expect(body.items).toEqual(live());
      expect(live()).toEqual(live().toSorted((a, b) => b.last_modified - a.last_modified));
      expect(headers['total-records']).toBe('6');
    },
  );

  it('has the timestamp of the whole collection whatever is filtered', async () => {
    for (const query of ['', '?unread=false', '?title=none', '?_to=5', '?_since=0&_limit=1']) {
      const { headers } = await device.get(`/articles${query}`).expect(200);
      expect(headers['last-modified']).toBe(String(items[0]!.last_modified));
    }
  });

  it('has the same headers and no body for HEAD', async () => {
    for (const query of ['', '?unread=false', '?title=none', '?_since=0', '?_since=0&_limit=2&_sort=title']) {
      const list = await device.get(`/articles${query}`).expect(200);
      const count = await device.head(`/articles${query}`).expect(200);
      for (const name of ['total-records', 'last-modified', 'next-page'])
        expect(count.headers[name]).toBe(list.headers[name]);
      expect(count.text).toBeUndefined();
    }
  });

  it('has the length of GET for HEAD, or none', async () => {
    for (const query of ['', '?title=none', '?_limit=1']) {
      const list = await device.get(`/articles${query}`).expect(200);
      const { headers } = await device.head(`/articles${query}`).expect(200);
      expect([undefined, list.headers['content-length']]).toContain(headers['content-length']);
      expect(headers['content-type']).toBe(list.headers['content-type']);
    }
  });

  it('shows tombstones with three fields', () => {
    requireKnownTombstones();
    const tombstones = items.filter(({ deleted }) => deleted);
    expect(tombstones).toHaveLength(2);
    for (const tombstone of tombstones)
      expect(tombstone).toEqual({ id: tombstone.id, last_modified: tombstone.last_modified, deleted: true });
  });
});

describe.each(Object.keys(MATCHES))('a filter with the prefix "%s"', (prefix) => {
  it.each(FIELDS)('compares %s', async (field) => {
    requireKnownTombstones();
    for (const value of valuesFor(field)) {
      const filter = `${prefix}${field}=${value === null ? '' : encodeURIComponent(value)}`;
      const matches = (item: Item) => MATCHES[prefix]!(valueOf(item, field), value);
      const withTombstones = await device.get(`/articles?_since=0&${filter}`).expect(200);
      expect(idsOf(withTombstones.body.items as Item[]), filter).toEqual(idsOf(deltas().filter(matches)));
      expect(withTombstones.headers['total-records'], filter).toBe(String(items.filter(matches).length));
      if (field === 'last_modified') continue;
      const { body } = await device.get(`/articles?${filter}`).expect(200);
      expect(idsOf(body.items as Item[]), filter).toEqual(idsOf(live().filter(matches)));
    }
  });
});

describe('a device that knows of an earlier list of this user', () => {
  const startsOver = async (device: Client, query: string): Promise<boolean> =>
    (await device.get(`/articles?${query}`).expect(200)).headers['start-over'] === 'true';

  it.each(['a first look', 'a first article'])(
    'is told to start over, when the new one began with %s',
    async (first) => {
      const newcomer = client(app.url);
      const before = Date.now() - 60_000;
      if (first === 'a first article') await newcomer.post('/articles').send(anArticle()).expect(201);
      const { headers } = await newcomer.get('/articles').expect(200);
      expect(await startsOver(newcomer, `_since=${before}`)).toBe(true);
      for (const query of [`_since=${headers['last-modified']}`, '_since=0', ''])
        expect(await startsOver(newcomer, query)).toBe(false);
    },
  );
});

describe('a filter', () => {
  it.each(['', 'min_', 'max_', 'gt_', 'lt_', 'not_'])('on %slast_modified brings in tombstones', async (prefix) => {
    requireKnownTombstones();
    for (const { last_modified } of items) {
      const { body, headers } = await device.get(`/articles?${prefix}last_modified=${last_modified}`).expect(200);
      const expected = deltas().filter((item) => MATCHES[prefix]!(item.last_modified, last_modified));
      expect(body.items).toEqual(expected);
      expect(headers['total-records']).toBe(String(expected.length));
    }
  });

  it.each([
    ['_since', 'gt_'],
    ['_to', 'lt_'],
  ])('%s means %slast_modified', async (alias, prefix) => {
    requireKnownTombstones();
    const { last_modified } = items[3]!;
    const { body } = await device.get(`/articles?${alias}=${last_modified}`).expect(200);
    expect(body.items).toEqual(deltas().filter((item) => MATCHES[prefix]!(item.last_modified, last_modified)));
  });

  it.each([
    ['_since=0&deleted=true', (item: Item) => Boolean(item.deleted)],
    ['_since=0&deleted=false', (item: Item) => !item.deleted],
    ['_since=0&not_deleted=true', (item: Item) => !item.deleted],
    ['_since=5&unread=true', (item: Item) => item.unread === true],
    ['_since=5&not_unread=true', (item: Item) => item.unread !== true],
    ['deleted=true', () => false],
    ['deleted=false', (item: Item) => !item.deleted],
    ['unread=true&archived=false', (item: Item) => item.unread === true && item.archived === false],
    ['unread=true&unread=false', () => false],
    ['min_word_count=1&max_word_count=9&not_title=x', (item: Item) => item.word_count === 9],
    ['gt_word_count=0&gt_word_count=9', (item: Item) => item.word_count === 10],
    ['word_count=10', (item: Item) => item.word_count === 10],
    ['min_word_count=9', (item: Item) => Number(item.word_count) >= 9],
    ['word_count=%2010%20', (item: Item) => item.word_count === 10],
    ['word_count=0010', (item: Item) => item.word_count === 10],
    ['gt_word_count=-1', (item: Item) => typeof item.word_count === 'number'],
    ['lt_added_on=-9007199254740991', () => false],
    ['max_added_on=9007199254740991', (item: Item) => !item.deleted],
    ['title=42', () => false],
    ['title=', (item: Item) => item.title === ''],
    ['not_title=', (item: Item) => !item.deleted && item.title !== ''],
    ['title=Apple', (item: Item) => item.title === 'Apple'],
    ['title=APPLE', () => false],
    ['title=Apple%20', () => false],
    ['title=%F0%9F%98%80', (item: Item) => item.title === '😀'],
    ['title=%00', () => false],
    ['id=1', () => false],
    ['id=', () => false],
    ['not_id=1', (item: Item) => !item.deleted],
    ['min_id=1', () => false],
    ['gt_id=', () => false],
    ['url=https%3A%2F%2Fa.example%2F1', (item: Item) => item.url === 'https://a.example/1'],
    ['url=HTTPS%3A%2F%2Fa.example%2F1', () => false],
    ['url=https://A.example/1', (item: Item) => item.url === 'https://A.example/1'],
    ['url=no+url', () => false],
  ])('%s', async (query, matches) => {
    if (query.includes('_since')) requireKnownTombstones();
    const { body } = await device.get(`/articles?${query}`).expect(200);
    const candidates = query.includes('_since') ? deltas() : live();
    expect(idsOf(body.items as Item[])).toEqual(idsOf(candidates.filter(matches)));
  });

  it('takes an id in upper case', async () => {
    const id = live()[0]!.id;
    const { body } = await device.get(`/articles?id=${id.toUpperCase()}`).expect(200);
    expect(body.items).toEqual([live()[0]]);
  });

  it('takes numbers as the text of a title', async () => {
    const other = client(app.url);
    const { body } = await other
      .post('/articles')
      .send(anArticle({ title: '42' }))
      .expect(201);
    expect((await other.get('/articles?title=42').expect(200)).body.items).toEqual([body]);
    expect((await other.get('/articles?title=042').expect(200)).body.items).toEqual([]);
  });

  it.each([
    ['true', true],
    ['TRUE', true],
    ['1', true],
    ['yes', true],
    ['On', true],
    ['false', false],
    ['0', false],
    ['No', false],
    ['off', false],
  ])('takes %s for a boolean', async (word, value) => {
    const { body } = await device.get(`/articles?unread=${word}`).expect(200);
    expect(body.items).toEqual(live().filter(({ unread }) => unread === value));
  });
});

describe('a parameter is refused with 400 / 107 that names it', () => {
  const cases: [string, string][] = [
    ['colour=red', 'colour: unknown field'],
    ['colour', 'colour: unknown field'],
    ['Title=a', 'Title: unknown field'],
    ['min_colour=1', 'min_colour: unknown field'],
    ['like_title=a', 'like_title: unknown field'],
    ['title[]=a', 'title[]: unknown field'],
    ['constructor=a', 'constructor: unknown field'],
    ['_since=x', '_since: not an integer'],
    ['_since=', '_since: not an integer'],
    ['_since=1.5', '_since: not an integer'],
    ['_to=x', '_to: not an integer'],
    ['_since=9007199254740992', '_since: integer out of range'],
    ['_to=9007199254740992', '_to: integer out of range'],
    ['min_word_count=9007199254740992', 'min_word_count: integer out of range'],
    ['_since=1&_since=1', '_since: given more than once'],
    ['_to=1&_to=2', '_to: given more than once'],
    ['_sort=title&_sort=url', '_sort: given more than once'],
    ['_limit=1&_limit=1', '_limit: given more than once'],
    ['_token=&_token=', '_token: given more than once'],
    ['_limit=0', '_limit: not an integer >= 1'],
    ['_limit=-1', '_limit: not an integer >= 1'],
    ['_limit=1.5', '_limit: not an integer >= 1'],
    ['_limit=ten', '_limit: not an integer >= 1'],
    ['_limit=', '_limit: not an integer >= 1'],
    ['_sort=colour', '_sort: unknown field "colour"'],
    ['_sort=title,,url', '_sort: unknown field ""'],
    ['_sort=--title', '_sort: unknown field "-title"'],
    ['_sort=%2Btitle', '_sort: unknown field "+title"'],
    ['_sort=_since', '_sort: unknown field "_since"'],
    ['_token=x', '_token: not a page token of this listing'],
    ['title=%zz', 'title: malformed percent-encoding'],
    ['unread=maybe&archived=maybe', 'archived: not a boolean'],
    ['_limit=0&_to=1&_to=2', '_limit: not an integer >= 1'],
    ['title=%zz&archived=maybe', 'archived: not a boolean'],
    ...BOOLEANS.map((field): [string, string] => [`${field}=maybe`, `${field}: not a boolean`]),
    ...BOOLEANS.filter((field) => !NULLABLE.includes(field)).map((field): [string, string] => [
      `not_${field}=`,
      `not_${field}: not a boolean`,
    ]),
    ...INTEGERS.map((field): [string, string] => [`gt_${field}=many`, `gt_${field}: not an integer`]),
    ...INTEGERS.map((field): [string, string] => [`${field}=1e5`, `${field}: not an integer`]),
    ...INTEGERS.map((field): [string, string] => [`${field}=-9007199254740992`, `${field}: integer out of range`]),
  ];
  it.each(cases)('%s', async (query, message) => {
    const { body } = await device.get(`/articles?${query}`).expect(400);
    expect(body).toMatchObject({ code: 400, errno: 107, message });
    await device.head(`/articles?${query}`).expect(400);
  });
});

describe('a sort', () => {
  it.each(FIELDS.flatMap((field) => [field, `-${field}`]))('by %s', async (key) => {
    const field = key.replace('-', '') as QueryField;
    const { body } = await device.get(`/articles?_since=0&_sort=${key}`).expect(200);
    const values = (body.items as Item[]).map((item) => valueOf(item, field));
    const sorted = values.toSorted(arrangeValues);
    expect(values).toEqual(key.startsWith('-') ? sorted.reverse() : sorted);
    expect(new Set(idsOf(body.items as Item[])).size).toBe(items.length);
  });

  it('by a boolean puts true first, and false first with a minus', async () => {
    const read = async (sort: string) =>
      ((await device.get(`/articles?_sort=${sort}`).expect(200)).body.items as Item[]).map(({ unread }) => unread);
    expect(await read('unread')).toEqual([true, true, true, true, true, false]);
    expect(await read('-unread')).toEqual([false, true, true, true, true, true]);
  });

  it.each(BOOLEANS.filter((field) => field !== 'deleted'))(
    'by %s puts null before true and false, and after them with a minus',
    async (field) => {
      const other = client(app.url);
      requireNewUser(other);
      for (const value of [false, true, null, true, false]) {
        const { body } = await other
          .post('/articles')
          .send(anArticle({ [field]: value ?? true }))
          .expect(201);
        if (value === null) await other.delete(`/articles/${body.id}`).expect(200);
      }
      const read = async (sort: string) => {
        const values: unknown[] = [];
        for (let path = `/articles?_since=0&_limit=2&_sort=${sort}`; ;) {
          const { body, headers } = await other.get(path).expect(200);
          values.push(...(body.items as Item[]).map((item) => valueOf(item, field)));
          if (headers['next-page'] === undefined) return values;
          path = `/articles${new URL(headers['next-page']).search}`;
        }
      };
      expect(await read(field)).toEqual([null, true, true, false, false]);
      expect(await read(`-${field}`)).toEqual([false, false, true, true, null]);
    },
  );

  it.each(['_since=0', '_to=9999999999999', 'min_last_modified=0', 'gt_last_modified=0', 'not_last_modified=1'])(
    'is by the time of the change, oldest first, where %s lists tombstones',
    async (filter) => {
      const other = client(app.url);
      requireNewUser(other);
      const body = anArticle();
      const again = anArticle();
      const { id } = (await other.post('/articles').send(body).expect(201)).body;
      const kept = (await other.post('/articles').send(again).expect(201)).body;
      await other.delete(`/articles/${id}`).expect(200);
      const saved = (await other.post('/articles').send(body).expect(201)).body;
      for (const limit of [1, 2, 10]) {
        const ids: string[] = [];
        for (let path = `/articles?${filter}&_limit=${limit}`; ;) {
          const { body, headers } = await other.get(path).expect(200);
          ids.push(...idsOf(body.items as Item[]));
          if (headers['next-page'] === undefined) break;
          path = `/articles${new URL(headers['next-page']).search}`;
        }
        expect(ids).toEqual([kept.id, id, saved.id]);
      }
      const newestFirst = (await other.get(`/articles?${filter}&_sort=-last_modified`).expect(200)).body.items;
      expect(idsOf(newestFirst as Item[])).toEqual([saved.id, id, kept.id]);
    },
  );

  it('by text is by code point', async () => {
    const { body } = await device.get('/articles?_sort=title').expect(200);
    expect((body.items as Item[]).map(({ title }) => title)).toEqual([null, '', 'Apple', 'apple', '\uffee', '😀']);
  });

  it.each(TEXTS.filter((field) => mostCharacters(QUERY_FIELDS[field]) >= 1010))(
    'by %s tells 1,000 equal characters from the next one',
    async (field) => {
      const other = client(app.url);
      const texts = ['b', 'a', '😀', '\uffee'].map((end) => `http://x/${'p'.repeat(1000)}${end}`);
      for (const text of texts)
        await other
          .post('/articles')
          .send(anArticle({ [field]: text }))
          .expect(201);
      const { body } = await other.get(`/articles?_sort=${field}`).expect(200);
      const ends = (body.items as Item[]).map((item) => [...String(item[field])].at(-1));
      expect(ends).toEqual(['a', 'b', '\uffee', '😀']);
    },
  );

  it('by several fields uses the later ones where the earlier ones are equal', async () => {
    const other = client(app.url);
    for (const [title, word_count] of [
      ['b', 1],
      ['a', 1],
      ['a', 2],
      ['b', 2],
    ])
      await other.post('/articles').send(anArticle({ title, word_count })).expect(201);
    const { body } = await other.get('/articles?_sort=-title,word_count').expect(200);
    expect((body.items as Item[]).map(({ title, word_count }) => `${title}${word_count}`)).toEqual([
      'b1',
      'b2',
      'a1',
      'a2',
    ]);
  });
});

describe('a page', () => {
  it('names the next one with an absolute address and all parameters', async () => {
    const { headers } = await device.get('/articles?unread=true&_sort=-title&_limit=2&_x=%20').expect(200);
    const next = new URL(headers['next-page']!);
    expect(next.origin).toBe(app.url);
    expect(next.pathname).toBe('/v2/articles');
    expect([...next.searchParams.keys()]).toEqual(['unread', '_sort', '_limit', '_x', '_token']);
    expect(Object.fromEntries(next.searchParams)).toMatchObject({
      unread: 'true',
      _sort: '-title',
      _limit: '2',
      _x: ' ',
    });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 100, 9_007_199_254_740_991])(
    'of at most %i items leads to all of them',
    async (limit) => {
      requireKnownTombstones();
      const walked: Item[] = [];
      let path = `/articles?_since=0&_sort=unread&_limit=${limit}`;
      for (let page = 1; ; page++) {
        const { body, headers } = await device.get(path).expect(200);
        walked.push(...(body.items as Item[]));
        expect(headers['total-records']).toBe('8');
        expect(headers['last-modified']).toBe(String(items[0]!.last_modified));
        if (walked.length < 8) expect(body.items).toHaveLength(limit);
        expect(headers['next-page'] !== undefined).toBe(walked.length < 8);
        if (headers['next-page'] === undefined) break;
        const next = new URL(headers['next-page']);
        path = `/articles${next.search}`;
        expect(page).toBeLessThan(9);
      }
      const whole = await device.get('/articles?_since=0&_sort=unread').expect(200);
      expect(walked).toEqual(whole.body.items);
    },
  );

  it.each([
    ['', '100'],
    ['?unread=true', '100'],
    ['?_limit=3', '3'],
  ])('of %j is the last one without Next-Page when it holds exactly the rest', async (query) => {
    const { headers } = await device.get(`/articles${query}`).expect(200);
    expect(headers['next-page'] === undefined).toBe(query !== '?_limit=3');
    const second = await device.get('/articles?_limit=3').expect(200);
    const third = await device.get(`/articles${new URL(second.headers['next-page']!).search}`).expect(200);
    expect(third.headers).not.toHaveProperty('next-page');
    expect(third.body.items).toHaveLength(3);
  });

  it('may be asked for by HEAD', async () => {
    const { headers } = await device.head('/articles?_limit=4').expect(200);
    const next = await device.get(`/articles${new URL(headers['next-page']!).search}`).expect(200);
    expect(next.body.items).toEqual(live().slice(4));
  });

  it('may have another size than the one before', async () => {
    const { headers } = await device.get('/articles?_limit=1').expect(200);
    const next = new URL(headers['next-page']!);
    next.searchParams.set('_limit', '2');
    expect((await device.get(`/articles${next.search}`).expect(200)).body.items).toEqual(live().slice(1, 3));
  });

  it('is refused with a token of another listing', async () => {
    const { headers } = await device.get('/articles?unread=true&_sort=title&_limit=1').expect(200);
    const token = new URL(headers['next-page']!).searchParams.get('_token')!;
    await device.get(`/articles?unread=true&_sort=title&_token=${token}`).expect(200);
    for (const [reader, query] of [
      [device, '_sort=title'],
      [device, 'unread=false&_sort=title'],
      [device, 'unread=true&_sort=-title'],
      [device, 'unread=true'],
      [device, 'unread=true&unread=true&_sort=title'],
      [client(app.url), 'unread=true&_sort=title'],
    ] as const) {
      const { body } = await reader.get(`/articles?${query}&_token=${token}`).expect(400);
      expect(body).toMatchObject({ errno: 107, message: '_token: not a page token of this listing' });
    }
  });

  it('is refused with a forged token', async () => {
    const { headers } = await device.get('/articles?_limit=1').expect(200);
    const token = new URL(headers['next-page']!).searchParams.get('_token')!;
    const middle = token.length / 2;
    for (const forged of [
      token.slice(1),
      token.slice(0, -1),
      `${token}A`,
      token.slice(0, middle),
      `${token}%00`,
      '%00',
    ])
      await device.get(`/articles?_token=${forged}`).expect(400);
  });

  it('replaces the token however it was spelt', async () => {
    const first = await device.get('/articles?_limit=2').expect(200);
    const token = new URL(first.headers['next-page']!).searchParams.get('_token')!;
    for (const spelling of ['_token', '%5Ftoken', '%5ftoken', '_%74oken', '%5F%74%6F%6B%65%6E']) {
      const second = await device.get(`/articles?${spelling}=${token}&_limit=2`).expect(200);
      const third = await device.get(`/articles${new URL(second.headers['next-page']!).search}`).expect(200);
      expect(third.body.items).toEqual(live().slice(4));
    }
  });
});

describe('with a page size of 3', () => {
  let small: TestApp;
  beforeAll(async () => {
    small = await startApp({ PAGE_SIZE: '3', PUBLIC_URL: 'https://list.example.com:8443/reading/' });
  });
  afterAll(() => small.close());

  const deviceWithMany = async (count: number): Promise<Client> =>
    (await deviceWith(small, ...Array.from({ length: count }, () => ({})))).device;

  it.each(['', '?_limit=4', '?_limit=100', `?_limit=${'9'.repeat(400)}`])(
    'a page has three items for %j',
    async (query) => {
      const device = await deviceWithMany(4);
      const { body, headers } = await device.get(`/articles${query}`).expect(200);
      expect(body.items).toHaveLength(3);
      expect(headers['total-records']).toBe('4');
      const next = new URL(headers['next-page']!);
      expect(next.searchParams.get('_limit')).toBe(query === '' ? '3' : query.slice('?_limit='.length));
      const last = await device.get(`/articles${next.search}`).expect(200);
      expect(last.body.items).toHaveLength(1);
      expect(last.headers).not.toHaveProperty('next-page');
    },
  );

  it('the next page is below the public address', async () => {
    const { headers } = await (await deviceWithMany(4)).get('/articles').expect(200);
    expect(headers['next-page']).toMatch(/^https:\/\/list\.example\.com:8443\/reading\/v2\/articles\?_limit=3&_token=/);
  });

  it('an exactly full page is the last one', async () => {
    expect((await (await deviceWithMany(3)).get('/articles').expect(200)).headers).not.toHaveProperty('next-page');
  });

  it('tombstones count', async () => {
    const device = await deviceWithMany(4);
    await device.delete('/articles').expect(200);
    const { headers } = await device.get('/articles?_since=0').expect(200);
    expect(headers['total-records']).toBe('4');
    expect(headers).toHaveProperty('next-page');
    expect((await device.get('/articles').expect(200)).headers).not.toHaveProperty('next-page');
  });
});

describe('a walk while others write', () => {
  it('gives every record that does not move exactly once', async () => {
    const user = client(app.url);
    const steady: string[] = [];
    for (let at = 0; at < 12; at++)
      steady.push(
        (
          await user
            .post('/articles')
            .send(anArticle({ title: String(at % 3) }))
            .expect(201)
        ).body.id as string,
      );
    const seen: string[] = [];
    let path = '/articles?_sort=title&_limit=2';
    for (let page = 0; ; page++) {
      const { body, headers } = await user.get(path).expect(200);
      seen.push(...idsOf(body.items as Item[]));
      await user
        .post('/articles')
        .send(anArticle({ title: String(page % 4) }))
        .expect(201);
      if (page === 2) await user.delete(`/articles?id=${seen[0]}`).expect(200);
      if (page === 3) await user.patch(`/articles/${seen[1]}`).send({ favorite: true }).expect(200);
      if (headers['next-page'] === undefined) break;
      path = `/articles${new URL(headers['next-page']).search}`;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(steady));
  });

  it('goes on behind a record that was deleted meanwhile', async () => {
    const user = client(app.url);
    for (let at = 0; at < 5; at++)
      await user
        .post('/articles')
        .send(anArticle({ title: String(at) }))
        .expect(201);
    const first = await user.get('/articles?_sort=title&_limit=2').expect(200);
    await user.delete('/articles?max_title=2').expect(200);
    const second = await user.get(`/articles${new URL(first.headers['next-page']!).search}`).expect(200);
    expect((second.body.items as Item[]).map(({ title }) => title)).toEqual(['3', '4']);
    expect(second.headers['total-records']).toBe('5');
  });

  it('ends on an empty page when the rest was deleted', async () => {
    const user = client(app.url);
    for (let at = 0; at < 3; at++)
      await user
        .post('/articles')
        .send(anArticle({ title: String(at) }))
        .expect(201);
    const first = await user.get('/articles?_sort=title&_limit=1&min_title=0').expect(200);
    await user.delete('/articles?min_title=1').expect(200);
    const second = await user.get(`/articles${new URL(first.headers['next-page']!).search}`).expect(200);
    expect(second.body.items).toEqual([]);
    expect(second.headers['total-records']).toBe('3');
    expect(second.headers).not.toHaveProperty('next-page');
  });
});

describe('a count that was asked for before', () => {
  it('is that of the collection as it is now, whichever instance changed it', async () => {
    const database = await createTestDatabase();
    const instances = [await startApp({}, database), await startApp({}, database)];
    try {
      const user = randomUUID();
      const [here, there] = instances.map(({ url }) => client(url, user)) as [Client, Client];
      const counts = () =>
        Promise.all(
          ['', '?unread=true', '?favorite=true&_limit=1', '?_since=5'].map(async (query) => {
            const head = await here.head(`/articles${query}`).expect(200);
            const list = await here.get(`/articles${query}`).expect(200);
            for (const name of ['total-records', 'next-page', 'last-modified'])
              expect([query, name, head.headers[name]]).toEqual([query, name, list.headers[name]]);
            return Number(head.headers['total-records']);
          }),
        );
      expect(await counts()).toEqual([0, 0, 0, 0]);
      const { body: first } = await there
        .post('/articles')
        .send(anArticle({ favorite: true }))
        .expect(201);
      await here
        .post('/articles')
        .send(anArticle({ favorite: true }))
        .expect(201);
      expect(await counts()).toEqual([2, 2, 2, 2]);
      expect(await counts()).toEqual([2, 2, 2, 2]);
      await there.patch(`/articles/${first.id}`).send({ unread: false, marked_read_by: 'tv', marked_read_on: 7 });
      expect(await counts()).toEqual([2, 1, 2, 2]);
      await there.delete(`/articles/${first.id}`).expect(200);
      expect(await counts()).toEqual([1, 1, 1, 2]);
    } finally {
      for (const instance of instances) await instance.close();
      await database.drop();
    }
  });
});
