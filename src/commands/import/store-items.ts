import { committed, discarded } from '../../database/outcome.js';
import { randomUUID } from 'node:crypto';
import type { Article, Tombstone } from '../../articles/article.js';
import { insertArticle } from '../../articles/store/articles.store.js';
import { deleteItem, insertTombstone, isTaken, versionOf } from '../../articles/store/transfer.store.js';
import type { Database } from '../../database/database.js';
import type { Session } from '../../database/session.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import type { AccountState } from './files/own-lines.js';
import { addAccount, addToLiveCount, raiseTimestamps, settleCollection } from '../../accounts/accounts.store.js';
import { tick } from '../../accounts/tick.js';

type Item = Article | Tombstone;

/**
 * Stores items unchanged, including timestamps, in one transaction; the clock ends up at or after all of them. Records
 * that exist in the same or a newer version are kept, as are live articles with the same URL. Returns how many items
 * were stored.
 */
export function restoreItems(database: Database, account: Buffer, state: AccountState, items: readonly Item[]) {
  const clock = Math.max(state.last_modified, ...items.map(({ last_modified }) => last_modified));
  let stored = 0;
  return database.inTransaction(async (transaction) => {
    await addAccount(transaction, { account, last_modified: clock, live_count: 0, purged_until: state.purged_until });
    await raiseTimestamps(transaction, account, clock, state.purged_until);
    let [count, liveDelta] = [0, 0];
    for (const item of items) {
      const delta = await restoreItem(transaction, account, item);
      if (delta === undefined) continue;
      count++;
      liveDelta += delta;
    }
    // Repeated because the reply to COMMIT was lost, it may find them stored.
    stored = Math.max(stored, count);
    await addToLiveCount(transaction, account, liveDelta);
    return committed(stored);
  });
}

/** The change in the number of live articles; undefined when the item was not stored. */
async function restoreItem(transaction: Session, account: Buffer, item: Item): Promise<number | undefined> {
  const known = await versionOf(transaction, account, item.id);
  if (known && known.last_modified >= item.last_modified) return undefined;
  const isTombstone = 'deleted' in item;
  if (!isTombstone && (await isTaken(transaction, account, item))) return undefined;
  if (known) await deleteItem(transaction, account, item.id);
  await (isTombstone ? insertTombstone(transaction, account, item) : insertArticle(transaction, account, item));
  return Number(!isTombstone) - Number(known !== undefined && !known.deleted);
}

/**
 * Stores articles as new changes in one transaction, so that devices get them with their next poll. Existing articles
 * with the same URL are kept. Returns how many were stored.
 */
export function addArticles(database: Database, account: Buffer, articles: readonly Article[], now: Timestamp) {
  return database.inTransaction(async (transaction) => {
    const { timestamp: first, witness } = (await tick(transaction, { account, now, liveDelta: 0 }))!;
    let stored = 0;
    for (const article of articles) {
      const isKnown = (await versionOf(transaction, account, article.id)) !== undefined;
      const added = { ...article, id: isKnown ? randomUUID() : article.id, last_modified: first + stored };
      if (await isTaken(transaction, account, added)) continue;
      await insertArticle(transaction, account, added);
      stored++;
    }
    if (stored === 0) return discarded(0);
    await settleCollection(transaction, account, first + stored - 1, -stored);
    return committed(stored, witness);
  });
}
