import { randomUUID } from 'node:crypto';
import type { Article, Tombstone } from '../../articles/article.js';
import { insertArticle, isTaken } from '../../articles/store/articles.store.js';
import {
  deleteItem,
  insertTombstone,
  latestTimestamp,
  type Version,
  versionOf,
} from '../../articles/store/transfer.store.js';
import type { Database } from '../../database/database.js';
import type { Session } from '../../database/session.js';
import { committed } from '../../database/transaction.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import {
  addAccount,
  addToLiveCount,
  findCollection,
  raiseTimestamps,
  settleCollection,
} from '../../accounts/accounts.store.js';
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
  /** What the account begins with if there is none yet. */
  added: AccountState;
  restamped: Restamped;
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
 * Stores items in one transaction. Devices ask for what is later than the account's clock, so an item keeps its timestamp
 * only if it is later, and otherwise gets a new one. Newer versions of records are kept, as are live articles with the
 * same URL.
 */
export function storeItems(
  { database, account, maxLive, added, restamped }: Destination,
  items: readonly Item[],
  now: Timestamp,
): Promise<Stored> {
  let most = 0;
  return database.inTransaction(async (transaction) => {
    await addAccount(transaction, { account, live_count: 0, ...added });
    await addToLiveCount(transaction, account, 0);
    const { last_modified, live_count } = (await findCollection(transaction, account))!;
    let clock = Math.max(last_modified, await latestTimestamp(transaction, account));
    let [stored, overQuota, live, goneUntil] = [0, 0, live_count, 0];
    for (const item of laterFirst(items, clock)) {
      const known = restamped.asInFile(item.id, await versionOf(transaction, account, item.id));
      const isLater = item.last_modified > clock;
      if (!isLater && !known && !isArticle(item)) {
        // Devices that saw the record before start over, as after a purge.
        goneUntil = Math.max(goneUntil, item.last_modified);
        continue;
      }
      const version = versionToStore(item, known);
      if (!version || (isArticle(version) && (await isTaken(transaction, account, version)))) continue;
      const delta = Number(isArticle(version)) - Number(known?.deleted === false);
      if (delta > 0 && live >= maxLive) {
        overQuota++;
        continue;
      }
      clock = isLater ? item.last_modified : Math.max(clock + 1, now);
      if (!isLater) restamped.note(version.id, clock, item.last_modified);
      if (known) await deleteItem(transaction, account, version.id);
      await insertItem(transaction, account, { ...version, last_modified: clock });
      stored++;
      live += delta;
    }
    // Repeated because the reply to COMMIT was lost, it may find them stored.
    most = Math.max(most, stored);
    await settleCollection(transaction, account, clock, live - live_count);
    if (goneUntil > 0) await raiseTimestamps(transaction, account, clock, goneUntil);
    return committed({ stored: most, overQuota });
  });
}

/** Items later than the clock, and then the others, whose new timestamps advance it. */
function laterFirst(items: readonly Item[], clock: Timestamp): Item[] {
  const isLater = ({ last_modified }: Item) => last_modified > clock;
  return [...items.filter(isLater), ...items.filter((item) => !isLater(item))];
}

/**
 * The item as it is to be stored; undefined if the account's own version counts. An article that was deleted later comes
 * back under another id.
 */
function versionToStore(item: Item, known: Version | undefined): Item | undefined {
  if (!known || known.last_modified < item.last_modified) return item;
  return isArticle(item) && known.deleted ? { ...item, id: randomUUID() } : undefined;
}

/** The records that an import gave a new timestamp: a file may have a later version of one, too. */
export class Restamped {
  private readonly records = new Map<string, { given: Timestamp; inFile: Timestamp }>();

  note(id: string, given: Timestamp, inFile: Timestamp): void {
    this.records.set(id, { given, inFile });
  }

  /** A version of the account, with the timestamp that it had in the file unless it has changed since. */
  asInFile(id: string, version: Version | undefined): Version | undefined {
    const record = this.records.get(id);
    return version && record?.given === version.last_modified ? { ...version, last_modified: record.inFile } : version;
  }
}

export const insertItem = (transaction: Session, account: Buffer, item: Item): Promise<void> =>
  isArticle(item) ? insertArticle(transaction, account, item) : insertTombstone(transaction, account, item);

/** Advances the account to its state at the time of the export, once all its items are stored. */
export const completeAccount = ({ database, account, added }: Destination, state: AccountState): Promise<void> =>
  database.inTransaction(async (transaction) => {
    await addAccount(transaction, { account, live_count: 0, ...added });
    await raiseTimestamps(transaction, account, state.last_modified, state.purged_until);
    return committed(undefined);
  });
