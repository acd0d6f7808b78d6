import { setTimeout as sleep } from 'node:timers/promises';
import { everyAccount, purgeableAfter } from '../accounts/accounts.store.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import { committed } from '../database/transaction.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { countTombstones, deleteTombstones, findTombstones } from './purge.store.js';

const DAY_MS = 86_400_000;
/** Records of a transaction. */
export const CHUNK = 200;
/** Pause between two chunks, so that writers waiting for the same account, or on SQLite the same file, come first. */
export const PAUSE_MS = 20;

/** How many tombstones there were, and of how many accounts. */
export interface Purged {
  accounts: number;
  tombstones: number;
}

/** Tombstones that were deleted earlier may be purged. */
export const purgeableBefore = ({ tombstoneRetentionDays }: Pick<Settings, 'tombstoneRetentionDays'>, now: Timestamp) =>
  now - tombstoneRetentionDays * DAY_MS;

/**
 * Deletes the tombstones from before `before`, one transaction per chunk, and yields the total so far after each account
 * and each chunk. It can be left off and repeated at any time, and run by several processes at once. A dry run only counts.
 * Throws 503 / 201 when the database stays unavailable.
 */
export async function* purgeTombstones(
  database: Database,
  before: Timestamp,
  dryRun = false,
): AsyncGenerator<Purged, void, undefined> {
  let [accounts, tombstones] = [0, 0];
  const read = (session: Session, after: Buffer, size: number) => purgeableAfter(session, after, before, size);
  for await (const { account, isDue } of everyAccount(database, read)) {
    if (isDue) accounts++;
    if (isDue && dryRun) tombstones += await database.onSession((session) => countTombstones(session, account, before));
    else if (isDue)
      for await (const deleted of purgeAccount(database, account, before)) {
        tombstones += deleted;
        yield { accounts, tombstones };
      }
    yield { accounts, tombstones };
  }
}

async function* purgeAccount(database: Database, account: Buffer, before: Timestamp) {
  for (;;) {
    const found = await database.onSession((session) => findTombstones(session, account, before, CHUNK));
    if (found.length === 0) return;
    yield await database.inTransaction(async (transaction) =>
      committed(await deleteTombstones(transaction, account, found.at(-1)!)),
    );
    if (found.length < CHUNK) return;
    await sleep(PAUSE_MS);
  }
}
