import type { Account } from '../database/entities/account.entity.js';

/** A row of `accounts`, but for the marks of its last writes. */
export type AccountRow = Omit<Account, 'recent_writes'>;

/**
 * The state of a user's collection: its timestamp, its number of live articles, and up to where tombstones were purged.
 */
export type Collection = Omit<AccountRow, 'account'>;

/** An account's key as text, for maps and messages. */
export const keyOf = (account: Buffer): string => account.toString('base64url');
export const accountOf = (key: string): Buffer => Buffer.from(key, 'base64url');
