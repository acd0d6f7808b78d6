import { addToLiveCount, eraseAccount } from '../accounts/accounts.store.js';
import type { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import { committed } from '../database/transaction.js';
import { eraseUntil, oldestRecords } from './purge.store.js';
import { CHUNK } from './tombstone-purge.js';

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
