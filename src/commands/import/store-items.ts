import { randomUUID } from 'node:crypto';
import type { Article, Tombstone } from '../../articles/article.js';
import { insertArticle, settleCollection, versionQuery } from '../../articles/articles.store.js';
import type { Database, Transaction } from '../../database/database.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import {
  addToLiveCount,
  deleteItem,
  insertTombstone,
  isTaken,
  raiseTimestamps,
  timestampsOf,
} from '../accounts.store.js';

type Item = Article | Tombstone;

/** Where an account's clock stood, and up to where its tombstones were purged, when it was exported. */
export interface AccountState {
  last_modified: Timestamp;
  purged_until: Timestamp;
}

/**
 * Stores items just as they were, timestamps included, in one transaction; the clock ends up at or after all of them. What
 * is there already in the same or a newer version stays, as does a live article with the same address. Returns how
 * many items were stored.
 */
export function restoreItems(database: Database, account: Buffer, state: AccountState, items: readonly Item[]) {
  const clock = Math.max(state.last_modified, ...items.map(({ last_modified }) => last_modified));
  return database.write(async (transaction) => {
    await transaction.run(database.dialect.insertAccount, [account, clock, state.purged_until]);
    await raiseTimestamps(transaction, account, clock, state.purged_until);
    let [stored, liveDelta] = [0, 0];
    for (const item of items) {
      const delta = await restoreItem(transaction, account, item);
      if (delta === undefined) continue;
      stored++;
      liveDelta += delta;
    }
    await addToLiveCount(transaction, account, liveDelta);
    return stored;
  });
}

/** By how many the number of live articles changed; undefined when the item was not stored. */
async function restoreItem(transaction: Transaction, account: Buffer, item: Item): Promise<number | undefined> {
  const [known] = (await timestampsOf(transaction, account, [item.id])).values();
  if (known && Number(known.last_modified) >= item.last_modified) return undefined;
  const isTombstone = 'deleted' in item;
  if (!isTombstone && (await isTaken(transaction, account, item))) return undefined;
  if (known) await deleteItem(transaction, account, item.id);
  await (isTombstone ? insertTombstone(transaction, account, item) : insertArticle(transaction, account, item));
  return Number(!isTombstone) - Number(known !== undefined && !known.deleted);
}

/**
 * Stores articles as changes of this moment, in one transaction, so that devices get them with their next poll. What the
 * account has under the same address stays. Returns how many were stored.
 */
export function addArticles(database: Database, account: Buffer, articles: readonly Article[], now: Timestamp) {
  return database.write(async (transaction) => {
    const first = (await database.dialect.tick(transaction, { account, now, liveDelta: 0 }))!;
    let stored = 0;
    for (const article of articles) {
      if (await isTaken(transaction, account, article)) continue;
      const isKnown = (await timestampsOf(transaction, account, [article.id])).size > 0;
      const added = { ...article, id: isKnown ? randomUUID() : article.id, last_modified: first + stored };
      await insertArticle(transaction, account, added);
      transaction.witness = versionQuery(account, added.id, added.last_modified);
      stored++;
    }
    transaction.abandoned = stored === 0;
    if (stored > 0) await settleCollection(transaction, account, first + stored - 1, -stored);
    return stored;
  });
}
