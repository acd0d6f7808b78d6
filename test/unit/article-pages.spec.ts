import type { DataSource } from 'typeorm';
import { expect, it } from 'vitest';
import { findPage } from '../../src/articles/store/article-pages.store.js';
import type { Row, Session } from '../../src/database/session.js';
import { sqliteDialect } from '../../src/database/sqlite/dialect.js';
import { parseCollectionQuery } from '../../src/protocol/collection-query.js';

const AT_ONCE = 128;

/** Tombstones with the timestamps from `first` on, as rows of a statement that found this state of the collection. */
const tombstones = (
  first: number,
  count: number,
  state: { collection_modified: number; purged_until: number },
): Row[] =>
  Array.from({ length: count }, (_, at) => ({
    id_digits: (first + at).toString(16).padStart(32, '0'),
    last_modified: first + at,
    deleted: 1,
    k0: first + at,
    live_count: 0,
    total: 500,
    ...state,
  }));

/** A session that answers its statements with these rows, one list after the other. */
const sessionWith = (...answers: Row[][]): Session => ({
  dataSource: undefined as unknown as DataSource,
  dialect: sqliteDialect,
  rows: () => Promise.resolve(answers.shift()!),
  row: () => Promise.resolve(answers.shift()![0]),
  run: () => Promise.reject(new Error('it only reads')),
});

const found = { collection_modified: 900, purged_until: 50 };
const query = parseCollectionQuery('_since=100&_sort=last_modified');
const request = { account: Buffer.alloc(16), ...query, size: 200, maxBytes: 1_048_576 };

it('a page of several statements has the timestamp of the first, and what was purged at the last', async () => {
  const later = { collection_modified: 950, purged_until: 300 };
  const session = sessionWith(tombstones(200, AT_ONCE, found), tombstones(400, 10, later));
  const page = await findPage(session, request);
  expect(page!.items!.all).toHaveLength(AT_ONCE + 10);
  expect(page!.collection).toMatchObject({ last_modified: 900, purged_until: 300 });
});

it('the same if the last one found nothing', async () => {
  const purged = { last_modified: 950, live_count: 0, purged_until: 300 };
  const session = sessionWith(tombstones(200, AT_ONCE, found), [], [purged]);
  const page = await findPage(session, request);
  expect(page!.items!.all).toHaveLength(AT_ONCE);
  expect(page!.collection).toMatchObject({ last_modified: 900, purged_until: 300 });
});

it('an empty page is none if the first item was written before its collection was read', async () => {
  const session = sessionWith([], []);
  expect(await findPage(session, request)).toBeUndefined();
});
