import type { Transaction } from '../../database/database.js';

/** Something wrong with an account's data. */
export interface Problem {
  /** What is wrong, in words that name records and numbers but no content. */
  text: string;
  /** Puts it right in a transaction that has locked the account; absent where a person has to decide. */
  repair?: (transaction: Transaction) => Promise<unknown>;
  /** What to do where it can not be repaired. */
  advice?: string;
}
