import { addToLiveCount } from '../../accounts/accounts.store.js';
import { committed } from '../../database/outcome.js';
import type { Database } from '../../database/database.js';
import type { Session } from '../../database/session.js';
import type { Timestamp } from '../../protocol/timestamp.js';

/** The account that is examined, and what its repair works with. */
export interface Patient {
  database: Database;
  account: Buffer;
  /** The present time: what is repaired gets a later timestamp than all before. */
  clock: () => Timestamp;
}

/** A repair: `work` in a transaction that has locked the account. */
export const inAccount =
  ({ database, account }: Patient, work: (transaction: Session) => Promise<unknown>) =>
  (): Promise<void> =>
    database.inTransaction(async (transaction) => {
      await addToLiveCount(transaction, account, 0);
      await work(transaction);
      return committed(undefined);
    });
