import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

const PURGEABLE = 'account = ? AND deleted = 1 AND last_modified < ?';
const RAISE = `UPDATE accounts SET purged_until = CASE WHEN purged_until < ? THEN ? ELSE purged_until END
  WHERE account = ?`;

/** Accounts in the order of their keys, from the one after `after`; each says whether it has tombstones older than `before`. */
export async function findAccounts(
  session: Session,
  after: Buffer,
  before: Timestamp,
  size: number,
): Promise<{ account: Buffer; isDue: boolean }[]> {
  const rows = await session.rows(
    `SELECT account, EXISTS (SELECT 1 FROM articles t
       WHERE t.account = accounts.account AND t.deleted = 1 AND t.last_modified < ?) AS due
     FROM accounts WHERE account > ? ORDER BY account LIMIT ${size}`,
    [before, after],
  );
  return rows.map((row) => ({ account: row.account as Buffer, isDue: Boolean(row.due) }));
}

/** The timestamps of the oldest tombstones before `before`, at most `size`, ascending. */
export async function findTombstones(
  session: Session,
  account: Buffer,
  before: Timestamp,
  size: number,
): Promise<Timestamp[]> {
  const rows = await session.rows(
    `SELECT last_modified FROM articles WHERE ${PURGEABLE} ORDER BY last_modified LIMIT ${size}`,
    [account, before],
  );
  return rows.map((row) => row.last_modified as Timestamp);
}

/**
 * Deletes the account's tombstones up to `until` and notes that they are gone. The account's row is written first, which
 * locks it like any other write. Returns how many there were.
 */
export async function deleteTombstones(session: Session, account: Buffer, until: Timestamp): Promise<number> {
  await session.run(RAISE, [until, until, account]);
  const { affectedRows } = await session.run(`DELETE FROM articles WHERE ${PURGEABLE}`, [account, until + 1]);
  return affectedRows;
}
