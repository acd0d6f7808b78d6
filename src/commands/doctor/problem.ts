import { addToLiveCount } from '../../accounts/accounts.store.js';
import { committed } from '../../database/transaction.js';
import type { Database } from '../../database/database.js';
import type { Session } from '../../database/session.js';
import type { Timestamp } from '../../protocol/timestamp.js';

/** Something wrong with an account's data, or with the database as a whole. */
export interface Problem {
  /** What is wrong; may name records and numbers but no content. */
  text: string;
  /**
   * Repairs it; absent if a person has to decide. Rejects with a `duplicate` failure when two records need the same
   * unique value.
   */
  repair?: () => Promise<unknown>;
  /** What to do if it cannot be repaired. */
  advice?: string;
  /** Whether it makes further examination impossible. */
  isBlocking?: boolean;
}

/** The account that is examined, with what a repair needs. */
export interface ExaminedAccount {
  database: Database;
  account: Buffer;
  /** The current time: repaired records get a later timestamp than all before. */
  clock: () => Timestamp;
}

/** A repair that runs `work` in a transaction with the account locked. */
export const inAccount =
  ({ database, account }: ExaminedAccount, work: (transaction: Session) => Promise<unknown>) =>
  (): Promise<void> =>
    database.inTransaction(async (transaction) => {
      await addToLiveCount(transaction, account, 0);
      await work(transaction);
      return committed(undefined);
    });
