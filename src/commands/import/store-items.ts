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
import { type DatabaseContext, EXIT } from '../shell.js';

/** Items that are stored in one transaction. */
export const CHUNK = 100;

export type Item = Article | Tombstone;

export const isArticle = (item: Item): item is Article => !('deleted' in item);

/** An account's clock, and up to where its tombstones were purged, at the time of the export. */
export interface AccountState {
  last_modified: Timestamp;
  purged_until: Timestamp;
}

/** The options of `user import` besides those that name a user. */
export interface ImportOptions {
  addedBy: string;
  dryRun?: boolean;
}

/** Whose items are stored, and how many live articles the account may have. */
export interface Destination {
  database: Database;
  account: Buffer;
  maxLive: number;
  /** Only in a dry run, which rolls each transaction back. */
  rehearsed?: Rehearsal;
}

export const destinationOf = (
  { database, settings }: DatabaseContext,
  isDryRun: boolean,
  account: Buffer,
): Destination => ({
  database,
  account,
  maxLive: settings.maxArticlesPerUser || Infinity,
  rehearsed: isDryRun ? new Rehearsal() : undefined,
});

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
  async print({ settings, print }: DatabaseContext, what: string, rest = ''): Promise<number> {
    const [done, were] = this.isDryRun ? ['would import', 'are'] : ['imported', 'were'];
    await print(`${done} ${this.stored} ${what}, ${this.known} ${were} there${rest}`);
    if (this.overQuota === 0) return EXIT.ok;
    const most = `MAX_ARTICLES_PER_USER (${settings.maxArticlesPerUser})`;
    await print(`left out, as a user has at most ${most}: ${this.overQuota} articles`);
    return EXIT.attention;
  }
}

/** What the earlier transactions of a dry run would have left, as all of them are rolled back. */
class Rehearsal {
  live = 0;
  /** The account's timestamp, if an item would have been stored. */
  clock: Timestamp = 0;
  /** By what no two live articles of an account share. */
  private readonly holders = new Map<string, string>();
  private readonly items = new Map<string, Item>();
  private readonly replaced = new Set<string>();

  /** Stored again, or deleted, in an earlier transaction. */
  versionOf(id: string): { last_modified: Timestamp; deleted: boolean } | undefined {
    const item = this.items.get(id);
    return item && { last_modified: item.last_modified, deleted: !isArticle(item) };
  }

  isTaken(article: Article): boolean {
    const holders = keysOf(article).map((key) => this.items.get(this.holders.get(key) ?? ''));
    return holders.some((holder) => holder && isArticle(holder) && holder.id !== article.id);
  }

  /** @param known whether there was another version of it in the database */
  add(item: Item, known: boolean): void {
    this.items.set(item.id, item);
    if (known) this.replaced.add(item.id);
    if (isArticle(item)) for (const key of keysOf(item)) this.holders.set(key, item.id);
  }

  /** @param live the change in the number of live articles */
  end(live: number, clock: Timestamp): void {
    this.live += live;
    this.clock = Math.max(this.clock, clock);
  }

  /** Deletes what is in the database only because the earlier transactions were rolled back. */
  async prepare(transaction: Session, account: Buffer): Promise<void> {
    for (const id of this.replaced) await deleteItem(transaction, account, id);
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
  { database, account, maxLive, rehearsed }: Destination,
  state: AccountState,
  items: readonly Item[],
): Promise<Stored> {
  const clock = Math.max(state.last_modified, ...items.map(({ last_modified }) => last_modified));
  let stored = 0;
  const { liveDelta: live, ...result } = await database.inTransaction(async (transaction) => {
    await addAccount(transaction, { account, last_modified: clock, live_count: 0, purged_until: state.purged_until });
    await raiseTimestamps(transaction, account, clock, state.purged_until);
    await rehearsed?.prepare(transaction, account);
    const present = (await findCollection(transaction, account))!.live_count + (rehearsed?.live ?? 0);
    let [count, liveDelta, overQuota] = [0, 0, 0];
    for (const item of items) {
      const delta = await restoreItem(transaction, account, item, present + liveDelta < maxLive, rehearsed);
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
    return (rehearsed ? discarded : committed)({ stored, overQuota, liveDelta });
  });
  rehearsed?.end(live, result.overQuota > 0 ? clock + 1 : clock);
  return result;
}

/** The change in the number of live articles, or why the item was not stored. */
async function restoreItem(
  transaction: Session,
  account: Buffer,
  item: Item,
  hasRoom: boolean,
  rehearsed?: Rehearsal,
): Promise<number | 'known' | 'overQuota'> {
  const known = (await versionOf(transaction, account, item.id)) ?? rehearsed?.versionOf(item.id);
  if (known && known.last_modified >= item.last_modified) return 'known';
  if (isArticle(item) && (rehearsed?.isTaken(item) || (await isTaken(transaction, account, item)))) return 'known';
  const delta = Number(isArticle(item)) - Number(known !== undefined && !known.deleted);
  if (delta > 0 && !hasRoom) return 'overQuota';
  if (known) await deleteItem(transaction, account, item.id);
  await (isArticle(item) ? insertArticle(transaction, account, item) : insertTombstone(transaction, account, item));
  rehearsed?.add(item, known !== undefined);
  return delta;
}

/**
 * Stores articles as new changes in one transaction, so that devices get them with their next poll. Existing articles
 * with the same URL are kept.
 */
export async function addArticles(
  { database, account, maxLive, rehearsed }: Destination,
  articles: readonly Article[],
  now: Timestamp,
): Promise<Stored> {
  const { stored, overQuota } = await database.inTransaction(async (transaction) => {
    const { timestamp: first, witness } = (await tick(transaction, { account, now, liveDelta: 0 }))!;
    await rehearsed?.prepare(transaction, account);
    const present = (await findCollection(transaction, account))!.live_count + (rehearsed?.live ?? 0);
    const stored: Article[] = [];
    let overQuota = 0;
    for (const article of articles) {
      const known = (await versionOf(transaction, account, article.id)) ?? rehearsed?.versionOf(article.id);
      const id = known ? randomUUID() : article.id;
      const added = { ...article, id, last_modified: first + stored.length };
      if (rehearsed?.isTaken(added) || (await isTaken(transaction, account, added))) continue;
      if (present + stored.length >= maxLive) {
        overQuota++;
        continue;
      }
      await insertArticle(transaction, account, added);
      stored.push(added);
    }
    if (rehearsed || stored.length === 0) return discarded({ stored, overQuota });
    await settleCollection(transaction, account, first + stored.length - 1, -stored.length);
    return committed({ stored, overQuota }, witness);
  });
  for (const article of stored) rehearsed?.add(article, false);
  if (stored.length > 0) rehearsed?.end(stored.length, stored.at(-1)!.last_modified);
  return { stored: stored.length, overQuota };
}

/** What no two live articles of an account share. */
const keysOf = ({ url, resolved_url }: Article): string[] => [`url ${url}`, `resolved_url ${resolved_url}`];
