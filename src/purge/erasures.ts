import { setTimeout as sleep } from 'node:timers/promises';
import { addToLiveCount, eraseAccount } from '../accounts/accounts.store.js';
import { isDue, nextToErase, noteErased } from '../accounts/deprovisioned.store.js';
import type { Clock } from '../config/settings.module.js';
import type { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import { committed } from '../database/transaction.js';
import { eraseUntil, oldestRecords } from './purge.store.js';
import { CHUNK, PAUSE_MS } from './tombstone-purge.js';

/**
 * Erases the lists of deprovisioned users whose time has come, and tells `onErased` of each. It can be interrupted, and run
 * by several processes at once. Rejects with 503 / 201 when the database stays unavailable.
 */
export async function eraseDueUsers(
  database: Database,
  clock: Clock,
  onErased: (account: Buffer, records: number) => void = () => undefined,
  isStopped: () => boolean = () => false,
): Promise<void> {
  // One after the other, as a user may be readmitted meanwhile.
  for (;;) {
    const account = await database.onSession((session) => nextToErase(session, clock()));
    if (!account) return;
    let erased = 0;
    for await (erased of eraseUser(database, account)) {
      if (isStopped()) return;
      if (!(await database.onSession((session) => isDue(session, account, clock())))) break;
      await sleep(PAUSE_MS);
    }
    await database.inTransaction(async (transaction) => committed(await noteErased(transaction, account, clock())));
    onErased(account, erased);
  }
}

/**
 * Permanently deletes a user's articles, tombstones and account in small chunks, and yields how many records that are so
 * far. It can be left off and repeated at any time, and run by several processes at once.
 */
export async function* eraseUser(database: Database, account: Buffer): AsyncGenerator<number, void, undefined> {
  for (let erased = 0; ;) {
    let count = 0;
    await database.inTransaction(async (transaction) => {
      // Repeated because the reply to COMMIT was lost, it may find them gone.
      count = Math.max(count, await eraseSome(transaction, account));
      return committed(undefined);
    });
    if (count === 0) return;
    yield (erased += count);
  }
}

/** Erases the oldest records, which are looked up with the account locked, or the account if it has none. */
async function eraseSome(transaction: Session, account: Buffer): Promise<number> {
  await addToLiveCount(transaction, account, 0);
  const records = await oldestRecords(transaction, account, CHUNK);
  const last = records.at(-1)?.last_modified;
  if (last === undefined) await eraseAccount(transaction, account);
  else {
    await addToLiveCount(transaction, account, -records.filter(({ deleted }) => !deleted).length);
    await eraseUntil(transaction, account, last);
  }
  return records.length;
}
