import type { Account } from '../database/entities/account.entity.js';
import type { Tally } from '../database/session.js';

/** A row of `accounts`. */
export type AccountRow = Account;

/** The state of a user's collection: its timestamp, its live articles, and up to where tombstones are gone. */
export type Collection = Omit<AccountRow, 'account'>;

/** Whose collection a request is about, and what it has cost so far. */
export interface Owner extends Tally {
  account: Buffer;
}
