import { randomUUID } from 'node:crypto';
import type { Article, Tombstone } from '../../articles/article.js';
import { insertArticle, isTaken } from '../../articles/store/articles.store.js';
import { deleteItem, insertTombstone, versionOf } from '../../articles/store/transfer.store.js';
import type { Database } from '../../database/database.js';
import type { Session } from '../../database/session.js';
import { committed, discarded } from '../../database/transaction.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import {
  addAccount,
  addToLiveCount,
  findCollection,
  raiseTimestamps,
  settleCollection,
} from '../../accounts/accounts.store.js';
import { tick } from '../../accounts/tick.js';
import { type CommandContext, EXIT } from '../shell.js';

/** Items that are stored in one transaction. */
export const CHUNK = 100;

export type Item = Article | Tombstone;

export const isArticle = (item: Item): item is Article => !('deleted' in item);

/** An account's clock, and up to where its tombstones were purged, at the time of the export. */
export interface AccountState {
  last_modified: Timestamp;
  purged_until: Timestamp;
}

/** Whose items are stored, and how many live articles the account may have. */
export interface Destination {
  database: Database;
  account: Buffer;
  maxLive: number;
}

/** What happened to the items so far, or would happen in a dry run. */
export class ImportCounts {
  stored = 0;
  /** Already present, or another article has their URL. */
  private known = 0;
  private overQuota = 0;

  constructor(private readonly isDryRun: boolean) {}

  add(items: readonly Item[], { stored, overQuota }: Stored): void {
    this.stored += stored;
    this.overQuota += overQuota;
    this.known += items.length - stored - overQuota;
  }

  /** Prints the counts; resolves with the exit code. */
  async print({ settings, print }: CommandContext, what: string, rest = ''): Promise<number> {
    const [done, were] = this.isDryRun ? ['would import', 'are'] : ['imported', 'were'];
    await print(`${done} ${this.stored} ${what}, ${this.known} ${were} there${rest}`);
    if (this.overQuota === 0) return EXIT.ok;
    const most = `MAX_ARTICLES_PER_USER (${settings.maxArticlesPerUser})`;
    await print(`left out, as a user has at most ${most}: ${this.overQuota} articles`);
    return EXIT.attention;
  }
}

/** How many items were stored, and how many not because the account has `maxLive` articles. */
export interface Stored {
  stored: number;
  overQuota: number;
}

/**
 * Stores items unchanged, including timestamps, in one transaction; the clock ends up at or after all of them. Records
 * that exist in the same or a newer version are kept, as are live articles with the same URL.
 */
export async function restoreItems(
  { database, account, maxLive }: Destination,
  state: AccountState,
  items: readonly Item[],
): Promise<Stored> {
  const clock = Math.max(state.last_modified, ...items.map(({ last_modified }) => last_modified));
  let stored = 0;
  return database.inTransaction(async (transaction) => {
    await addAccount(transaction, { account, last_modified: clock, live_count: 0, purged_until: state.purged_until });
    await raiseTimestamps(transaction, account, clock, state.purged_until);
    const present = (await findCollection(transaction, account))!.live_count;
    let [count, liveDelta, overQuota] = [0, 0, 0];
    for (const item of items) {
      const delta = await restoreItem(transaction, account, item, present + liveDelta < maxLive);
      if (delta === 'overQuota') overQuota++;
      if (typeof delta !== 'number') continue;
      count++;
      liveDelta += delta;
    }
    // Repeated because the reply to COMMIT was lost, it may find them stored.
    stored = Math.max(stored, count);
    await addToLiveCount(transaction, account, liveDelta);
    // Devices may have seen the file's timestamps when the rest comes: it has to come as new changes.
    if (overQuota > 0) await raiseTimestamps(transaction, account, clock + 1, state.purged_until);
    return committed({ stored, overQuota });
  });
}

/** The change in the number of live articles, or why the item was not stored. */
async function restoreItem(
  transaction: Session,
  account: Buffer,
  item: Item,
  hasRoom: boolean,
): Promise<number | 'known' | 'overQuota'> {
  const known = await versionOf(transaction, account, item.id);
  if (known && known.last_modified >= item.last_modified) return 'known';
  if (isArticle(item) && (await isTaken(transaction, account, item))) return 'known';
  const delta = Number(isArticle(item)) - Number(known !== undefined && !known.deleted);
  if (delta > 0 && !hasRoom) return 'overQuota';
  if (known) await deleteItem(transaction, account, item.id);
  await insertItem(transaction, account, item);
  return delta;
}

export const insertItem = (transaction: Session, account: Buffer, item: Item): Promise<void> =>
  isArticle(item) ? insertArticle(transaction, account, item) : insertTombstone(transaction, account, item);

/**
 * Stores articles as new changes in one transaction, so that devices get them with their next poll. Existing articles
 * with the same URL are kept.
 */
export const addArticles = (
  { database, account, maxLive }: Destination,
  articles: readonly Article[],
  now: Timestamp,
): Promise<Stored> =>
  database.inTransaction(async (transaction) => {
    const { timestamp: first, witness } = (await tick(transaction, { account, now, liveDelta: 0 }))!;
    const present = (await findCollection(transaction, account))!.live_count;
    let [stored, overQuota] = [0, 0];
    for (const article of articles) {
      const id = (await versionOf(transaction, account, article.id)) ? randomUUID() : article.id;
      const added = { ...article, id, last_modified: first + stored };
      if (await isTaken(transaction, account, added)) continue;
      if (present + stored >= maxLive) {
        overQuota++;
        continue;
      }
      await insertArticle(transaction, account, added);
      stored++;
    }
    if (stored === 0) return discarded({ stored, overQuota });
    await settleCollection(transaction, account, first + stored - 1, stored);
    return committed({ stored, overQuota }, witness);
  });
