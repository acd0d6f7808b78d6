import type { AccountRow } from '../accounts/accounts.store.js';
import type { Article, Tombstone } from '../articles/article.js';
import { findPage, type Page } from '../articles/store/article-pages.store.js';
import type { Database } from '../database/database.js';
import { parseCollectionQuery } from '../protocol/collection-query.js';

/** Also before a damaged timestamp, which may be negative. */
const BEGINNING = Number.MIN_SAFE_INTEGER;
const ALL = parseCollectionQuery(`_since=${BEGINNING}`);
const AT_ONCE = 200;
const BYTES_AT_ONCE = 4_194_304;

/** The articles and tombstones of an account, oldest change first. */
export async function* storedItems(database: Database, row: AccountRow): AsyncGenerator<Article | Tombstone> {
  const { account, ...collection } = row;
  for (let start: Page['next'] = { total: 0, position: [BEGINNING] }; start;) {
    const request = { ...ALL, size: AT_ONCE, maxBytes: BYTES_AT_ONCE, start };
    const page: Page = (await database.onSession((session) => findPage(session, account, request, collection)))!;
    yield* page.items!;
    start = page.next;
  }
}
