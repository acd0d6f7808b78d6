import { addToLiveCount, eraseAccount } from '../accounts/accounts.store.js';
import type { Database } from '../database/database.js';
import { committed, discarded, type Outcome, type Witness } from '../database/transaction.js';
import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { eraseUntil, oldestRecords } from './erasure.store.js';

const CHUNK = 200;

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
