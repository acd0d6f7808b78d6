import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { QUERY_FIELDS, type QueryField } from '../../src/protocol/fields.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import { client, type Client } from '../support/client.js';
import { arrangeValues, compareValues, type FieldValue, valueOf } from '../support/field-values.js';

type Item = Record<string, FieldValue> & { id: string };

const FIELDS = Object.keys(QUERY_FIELDS) as QueryField[];
const RUNS = 12;
const LISTINGS_PER_RUN = 6;

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ PAGE_SIZE: '7' });
});
afterAll(() => app.close());

const PREFIX = 'p'.repeat(330);
/** Few different texts, so that many are equal: long common prefixes, characters beyond 16 bits and just below them. */
const aText = fc.constantFrom(
  '',
  'a',
  'A',
  'b',
  'ab',
  'é',
  'e\u0301',
  ' ',
  'ß',
  '\uffee',
  '😀',
  '😁',
  `${PREFIX}a`,
  `${PREFIX}b`,
  `${PREFIX}😀`,
  `${PREFIX}\uffee`,
  PREFIX,
);
const aNumber = fc.constantFrom(0, 1, 9, 10, 100, Number.MAX_SAFE_INTEGER);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 3 });

const aRecord = fc.record({
  title: maybe(aText),
  resolved_title: maybe(aText),
  excerpt: aText,
  preview: maybe(aText.map((text) => `http://p/${text.replaceAll(' ', '_')}`)),
  archived: fc.boolean(),
  favorite: fc.boolean(),
  is_article: fc.boolean(),
  unread: fc.boolean(),
  word_count: maybe(aNumber),
  read_position: aNumber,
  added_by: fc.constantFrom('a', 'B', 'é', '😀'),
  added_on: aNumber,
  marked_read_by: maybe(fc.constantFrom('a', 'b', `${'p'.repeat(250)}x`)),
  marked_read_on: maybe(aNumber),
});
const records = fc.array(fc.record({ fields: aRecord, isDeleted: fc.boolean() }), { minLength: 1, maxLength: 24 });

const aSortKey = fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...FIELDS));
const aListing = fc.record({
  sort: fc.array(aSortKey, { minLength: 1, maxLength: 3 }),
  limit: fc.integer({ min: 1, max: 9 }),
  filter: fc.constantFrom('', 'unread=true', 'not_title=a', 'min_word_count=1', 'max_title=b', 'not_deleted=true'),
  withTombstones: fc.boolean(),
});

function sorted(items: Item[], sort: [string, QueryField][]): Item[] {
  const keys = [...sort, ['', 'id'] as [string, QueryField]];
  return items.toSorted((a, b) => {
    for (const [sign, field] of keys) {
      const order = arrangeValues(valueOf(a, field), valueOf(b, field));
      if (order !== 0) return sign === '-' ? -order : order;
    }
    return 0;
  });
}

const MATCHES: Record<string, (item: Item) => boolean> = {
  '': () => true,
  'unread=true': ({ unread }) => unread === true,
  'not_title=a': ({ title }) => title !== 'a',
  'min_word_count=1': ({ word_count }) => typeof word_count === 'number' && word_count >= 1,
  'max_title=b': ({ title }) => typeof title === 'string' && compareValues(title, 'b') <= 0,
  'not_deleted=true': ({ deleted }) => deleted !== true,
};

/** A user with the given articles, some of them deleted. */
async function deviceWithRecords(given: { fields: Record<string, unknown>; isDeleted: boolean }[]): Promise<Client> {
  const device = client(app.url);
  await Promise.all(
    given.map(async ({ fields, isDeleted }) => {
      const { body } = await device.post('/articles').send(anArticle(fields)).expect(201);
      if (isDeleted) await device.delete(`/articles/${body.id}`).expect(200);
    }),
  );
  return device;
}

/** All items of a listing, page by page; checks what every page has to say. */
async function walk(device: Client, query: string, limit: number, total: number): Promise<Item[]> {
  const items: Item[] = [];
  let path = `/articles?${query}&_limit=${limit}`;
  for (;;) {
    const { body, headers } = await device.get(path).expect(200);
    items.push(...(body.items as Item[]));
    expect(headers['total-records']).toBe(String(total));
    expect(headers['next-page'] !== undefined).toBe(items.length < total);
    if (headers['next-page'] === undefined) return items;
    expect(body.items).toHaveLength(Math.min(limit, 7));
    path = `/articles${new URL(headers['next-page']).search}`;
  }
}

it('walking the pages gives the sorted listing, whatever the data and the order', { timeout: 60_000 }, async () => {
  const listings = fc.array(aListing, { minLength: LISTINGS_PER_RUN, maxLength: LISTINGS_PER_RUN });
  await fc.assert(
    fc.asyncProperty(records, listings, async (given, wanted) => {
      const device = await deviceWithRecords(given);
      const everything: Item[] = await walk(device, '_since=0&_sort=id', 7, given.length);
      for (const { sort, limit, filter, withTombstones } of wanted) {
        const candidates = withTombstones ? everything : everything.filter(({ deleted }) => !deleted);
        const expected = sorted(candidates.filter(MATCHES[filter]!), sort);
        const names = sort.map(([sign, field]) => sign + field).join(',');
        const query = `${withTombstones ? '_since=0&' : ''}_sort=${names}&${filter}`;
        expect(await walk(device, query, limit, expected.length), query).toEqual(expected);
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
