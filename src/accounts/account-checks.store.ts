import { Account } from '../database/entities/account.entity.js';
import { managerOn } from '../database/entities/manager.js';
import type { Row, Session } from '../database/session.js';
import { LATEST_TIMESTAMP, type Timestamp } from '../protocol/timestamp.js';
import { addAccount, addToLiveCount, type Collection } from './accounts.store.js';

/** An account's row, null if it has none and of any type if damaged, with totals from its records. */
export type Totals = Record<keyof Collection, Row[string]> & {
  records: number;
  /** The latest valid timestamp of a record. */
  newest: Timestamp | null;
  live: number;
};

/** One statement, so that row and totals are consistent despite concurrent writes. */
const TOTALS = `SELECT a.last_modified, a.live_count, a.purged_until, r.records, r.newest, r.live
  FROM (SELECT COUNT(*) AS records, COUNT(CASE WHEN deleted = 0 THEN 1 END) AS live,
      MAX(CASE WHEN last_modified BETWEEN 0 AND ${LATEST_TIMESTAMP} THEN last_modified END) AS newest
    FROM articles WHERE account = ?) r
  LEFT JOIN accounts a ON a.account = ?`;

export const totalsOf = async (session: Session, account: Buffer): Promise<Totals> =>
  (await session.row(TOTALS, [account, account])) as unknown as Totals;

/** The keys after `after` of accounts with a row, records, or both. Anything that is not 16 bytes long is not a key. */
export async function keysAfter(session: Session, after: Buffer, size: number): Promise<{ account: Buffer }[]> {
  const ofTable = (table: string) => `SELECT account FROM (SELECT DISTINCT account FROM ${table}
    WHERE account > ? AND LENGTH(account) = 16 ORDER BY account LIMIT ${size}) ${table}`;
  const keys = `${ofTable('accounts')} UNION ${ofTable('articles')} ORDER BY account LIMIT ${size}`;
  return (await session.rows(keys, [after, after])) as { account: Buffer }[];
}

/** Locks the account, adding it if it has records only, and sets its row to what `right` makes of the totals. */
export async function rewriteAccount(
  transaction: Session,
  account: Buffer,
  now: Timestamp,
  right: (totals: Totals, now: Timestamp) => Collection,
): Promise<void> {
  await addAccount(transaction, { account, last_modified: now, live_count: 0, purged_until: now });
  await addToLiveCount(transaction, account, 0);
  await managerOn(transaction).update(Account, { account }, right(await totalsOf(transaction, account), now));
}

/** Matches rows whose account is not 16 bytes long; only SQLite can hold such rows. */
export const STRAY_KEY = "LENGTH(account) <> 16 OR TYPEOF(account) <> 'blob'";

/** How many rows of a table have an account key that no user can have. */
export async function countStrayKeys(session: Session, table: 'accounts' | 'articles'): Promise<number> {
  return (await session.row(`SELECT COUNT(*) AS strays FROM ${table} WHERE ${STRAY_KEY}`, []))!.strays as number;
}
