import { setTimeout as sleep } from 'node:timers/promises';
import { addToLiveCount, eraseAccount } from '../accounts/accounts.store.js';
import { isDue, nextToErase, noteErased } from '../accounts/deprovisioned.store.js';
import type { Clock } from '../config/settings.module.js';
import type { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import { committed, discarded, type Outcome, type Witness } from '../database/transaction.js';
import type { Timestamp } from '../protocol/timestamp.js';
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
  let erased = 0;
  for (;;) {
    const count = await database.inTransaction((transaction) => eraseSome(transaction, account));
    if (count === 0) break;
    yield (erased += count);
  }
  yield erased + (await database.inTransaction((transaction) => eraseRest(transaction, account)));
}

/** Erases the oldest records, which are looked up with the account locked: running it twice is harmless. */
async function eraseSome(transaction: Session, account: Buffer): Promise<Outcome<number>> {
  await addToLiveCount(transaction, account, 0);
  const records = await oldestRecords(transaction, account, CHUNK);
  const last = records.at(-1)?.last_modified;
  if (last === undefined) return discarded(0);
  await addToLiveCount(transaction, account, -records.filter(({ deleted }) => !deleted).length);
  return committed(await eraseUntil(transaction, account, last), isOldestErased(account, records[0]!.last_modified));
}

/** Tells whether some were erased when the reply to COMMIT is lost: the oldest of them is gone. */
const isOldestErased =
  (account: Buffer, oldest: Timestamp): Witness =>
  async (transaction) => {
    await addToLiveCount(transaction, account, 0);
    return (await oldestRecords(transaction, account, 1))[0]?.last_modified !== oldest;
  };

/** Also deletes what was added in the meantime. */
async function eraseRest(transaction: Session, account: Buffer): Promise<Outcome<number>> {
  await addToLiveCount(transaction, account, 0);
  const erased = await eraseUntil(transaction, account, Number.MAX_SAFE_INTEGER);
  await eraseAccount(transaction, account);
  return committed(erased);
}
