import { randomUUID } from 'node:crypto';
import {
  type AccountRow,
  addAccount,
  findAccount,
  latestTimestamp,
  lockCollection,
  raiseTimestamps,
  settleCollection,
} from '../../accounts/accounts.store.js';
import type { Item } from '../../articles/article.js';
import { isTaken } from '../../articles/store/articles.store.js';
import type { Version } from '../../articles/store/transfer.store.js';
import { deleteItem, insertItem, isArticle, storedItems, versionOf } from '../../articles/store/transfer.store.js';
import type { Database } from '../../database/database.js';
import { committed } from '../../database/session.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { counted, type DatabaseContext, EXIT } from '../shell.js';

const ITEMS_PER_TRANSACTION = 100;

/** What an import works with. */
export interface ImportContext extends DatabaseContext {
  /** Items so far; `known` ones are there already, or another article has their URL. A dry run counts, too. */
  counts: { stored: number; known: number; overQuota: number };
  /** Only in a dry run, which imports into a database in memory: the one that its accounts are copied from. */
  original?: Database;
}

/** Prints the counts of an import, of which `stored` is the first; resolves with the exit code. */
export async function printCounts({ counts, original, settings, print }: ImportContext, stored: string, rest = '') {
  const [done, one, many] = original ? ['would import', 'is', 'are'] : ['imported', 'was', 'were'];
  await print(`${done} ${stored}, ${counts.known} ${counts.known === 1 ? one : many} already there${rest}`);
  if (counts.overQuota === 0) return EXIT.ok;
  const most = `MAX_ARTICLES_PER_USER (${settings.maxArticlesPerUser})`;
  await print(`left out, as a user has at most ${most}: ${counted(counts.overQuota, 'article')}; raise it and repeat`);
  return EXIT.attention;
}

/** An account's clock, and up to where its tombstones were purged, at the time of the export. */
export type AccountState = Pick<AccountRow, 'last_modified' | 'purged_until'>;

/** An account to import into. Items that are not later than its clock get new timestamps, for devices to find them. */
export class Destination {
  private pending: Item[] = [];
  /** The records that got a new timestamp: a file may have a later version of one, too. */
  private readonly restamped = new Map<string, { given: Timestamp; inFile: Timestamp }>();

  constructor(
    private readonly context: ImportContext,
    private readonly account: Buffer,
    private readonly initial: AccountState,
  ) {}

  async add(item: Item): Promise<void> {
    if (this.pending.push(item) >= ITEMS_PER_TRANSACTION) await this.store();
  }

  /** Stores all items that were added, and advances the account to its state at the time of the export. */
  async store(exported: AccountState = { last_modified: 0, purged_until: 0 }): Promise<void> {
    const { account, context, pending } = this;
    this.pending = [];
    const now = context.now();
    const maxLive = context.settings.maxArticlesPerUser || Infinity;
    let [most, overQuota] = [0, 0];
    await context.database.inTransaction(async (transaction) => {
      await addAccount(transaction, { account, live_count: 0, ...this.initial });
      const { last_modified, live_count } = (await lockCollection(transaction, account))!;
      let clock = Math.max(last_modified, await latestTimestamp(transaction, account));
      let [stored, live, goneUntil] = [0, live_count, exported.purged_until];
      overQuota = 0;
      // The others get new timestamps, which advance the clock.
      const laterFirst = pending.toSorted((a, b) => Number(b.last_modified > clock) - Number(a.last_modified > clock));
      for (const item of laterFirst) {
        const known = this.asInFile(item.id, await versionOf(transaction, account, item.id));
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
        if (!isLater) this.restamped.set(version.id, { given: clock, inFile: item.last_modified });
        if (known) await deleteItem(transaction, account, version.id);
        await insertItem(transaction, account, { ...version, last_modified: clock });
        stored++;
        live += delta;
      }
      // A repetition after a lost reply to COMMIT may find them stored.
      most = Math.max(most, stored);
      await settleCollection(transaction, account, clock, live - live_count);
      return committed(await raiseTimestamps(transaction, account, exported.last_modified, goneUntil));
    });
    context.counts.stored += most;
    context.counts.overQuota += overQuota;
    context.counts.known += pending.length - most - overQuota;
  }

  /** A version of the account, with the timestamp that it had in the file unless it has changed since. */
  private asInFile(id: string, version: Version | null): Version | null {
    const record = this.restamped.get(id);
    return version && record?.given === version.last_modified ? { ...version, last_modified: record.inFile } : version;
  }
}

/** Undefined if the account's own version counts. An article that was deleted later comes back under another id. */
function versionToStore(item: Item, known: Version | null): Item | undefined {
  if (!known || known.last_modified < item.last_modified) return item;
  return isArticle(item) && known.deleted ? { ...item, id: randomUUID() } : undefined;
}

/** Begins to import into an account. A dry run copies it first, without excerpts to save memory. */
export async function destinationOf(context: ImportContext, account: Buffer, initial: AccountState) {
  const { original, database } = context;
  const row = await original?.onSession((session) => findAccount(session, account));
  if (original && row)
    await database.inTransaction(async (transaction) => {
      await addAccount(transaction, row);
      for await (const item of storedItems(original, row)) {
        const copy = isArticle(item) ? { ...item, excerpt: '' } : item;
        // What changes meanwhile is listed twice, and copied as it was.
        await insertItem(transaction, account, copy).catch((error: unknown) => {
          if (database.dialect.classify(error) !== 'duplicate') throw error;
        });
      }
      return committed(undefined);
    });
  return new Destination(context, account, initial);
}
