import { setTimeout as sleep } from 'node:timers/promises';
import { LessThan, LessThanOrEqual } from 'typeorm';
import {
  type Collection,
  countDeleted,
  eraseAccount,
  everyAccount,
  lockCollection,
  purgeableAfter,
  raiseTimestamps,
  settleCollection,
} from '../accounts/accounts.store.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';
import { StoredArticle } from '../database/entities/article.entity.js';
import { managerOn } from '../database/entities/manager.js';
import type { Parameter, Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

const RECORDS_AT_ONCE = 200;

/** Tombstones that were deleted earlier may be purged. */
export const purgeableBefore = ({ tombstoneRetentionDays }: Settings, now: Timestamp): Timestamp =>
  now - tombstoneRetentionDays * 86_400_000;

/**
 * Deletes the tombstones older than `before` in chunks, and yields how many there were so far, and of how many accounts.
 * May be interrupted, repeated, and run by several processes. A dry run only counts. Throws 503 / 201.
 */
export async function* purgeTombstones(database: Database, before: Timestamp, dryRun = false) {
  let [accounts, tombstones] = [0, 0];
  const read = (session: Session, after: Buffer, size: number) => purgeableAfter(session, after, before, size);
  const purge = (transaction: Session, account: Buffer) => purgeSome(transaction, account, before);
  for await (const { account, isDue } of everyAccount(database, read)) {
    const purgeable = { account, deleted: true, last_modified: LessThan(before) };
    if (isDue) accounts++;
    if (isDue && dryRun)
      tombstones += await database.onSession((session) => managerOn(session).countBy(StoredArticle, purgeable));
    else if (isDue)
      for await (const deleted of inChunks(database, account, purge)) {
        tombstones += deleted;
        yield { accounts, tombstones };
      }
    yield { accounts, tombstones };
  }
}

/** Deletes a user's records and account likewise, and yields how many records there were so far. Throws the same. */
export async function* eraseUser(database: Database, account: Buffer) {
  let erased = 0;
  for await (const deleted of inChunks(database, account, eraseSome)) yield (erased += deleted);
}

/** Deletes in transactions that lock the account, until one finds less than a chunk; yields how many each deleted. */
async function* inChunks(
  database: Database,
  account: Buffer,
  deleteSome: (transaction: Session, account: Buffer, collection?: Collection) => Promise<number>,
): AsyncGenerator<number, void, undefined> {
  for (;;) {
    const count = await countDeleted(database, async (transaction) =>
      deleteSome(transaction, account, await lockCollection(transaction, account)),
    );
    if (count > 0) yield count;
    if (count < RECORDS_AT_ONCE) return;
    // Writers waiting for the same account, or on SQLite the same file, come first.
    await sleep(20);
  }
}

/** Deletes the oldest tombstones, and records in the account's row up to where. */
async function purgeSome(transaction: Session, account: Buffer, before: Timestamp): Promise<number> {
  const tombstones = await oldest(transaction, account, 'AND deleted = 1 AND last_modified < ?', [before]);
  const last = tombstones.at(-1)?.last_modified;
  if (last === undefined) return 0;
  const purged = { account, deleted: true, last_modified: LessThanOrEqual(last) };
  await managerOn(transaction).delete(StoredArticle, purged);
  await raiseTimestamps(transaction, account, 0, last);
  return tombstones.length;
}

/** Deletes the oldest records, and the account with the last ones. Until then devices are told to start over. */
async function eraseSome(transaction: Session, account: Buffer, collection?: Collection): Promise<number> {
  const records = await oldest(transaction, account);
  if (records.length < RECORDS_AT_ONCE) {
    await managerOn(transaction).delete(StoredArticle, { account });
    await eraseAccount(transaction, account);
  } else {
    const last_modified = LessThanOrEqual(records.at(-1)!.last_modified);
    await managerOn(transaction).delete(StoredArticle, { account, last_modified });
    const next = (collection?.last_modified ?? 0) + 1;
    await settleCollection(transaction, account, next, -records.filter(({ deleted }) => !deleted).length);
    await raiseTimestamps(transaction, account, next, next);
  }
  return records.length;
}

async function oldest(session: Session, account: Buffer, condition = '', parameters: Parameter[] = []) {
  const rows = await session.rows(
    `SELECT last_modified, deleted FROM articles WHERE account = ? ${condition} ORDER BY last_modified LIMIT ${RECORDS_AT_ONCE}`,
    [account, ...parameters],
  );
  return rows as { last_modified: Timestamp; deleted: 0 | 1 }[];
}
