import type { Article, Tombstone } from '../articles/article.js';
import { idBytes, LISTED_COLUMNS, toItem, urlHash } from '../articles/article.row.js';
import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** A row of `accounts`. */
export interface AccountRow {
  account: Buffer;
  last_modified: Timestamp;
  live_count: number;
  purged_until: Timestamp;
}

const ACCOUNT = 'SELECT account, last_modified, live_count, purged_until FROM accounts WHERE account';
const LATER = (column: string) => `${column} = CASE WHEN ${column} < ? THEN ? ELSE ${column} END`;

/** The accounts after a key, in the order of keys. */
export async function accountsAfter(session: Session, after: Buffer, size: number): Promise<AccountRow[]> {
  return (await session.rows(`${ACCOUNT} > ? ORDER BY account LIMIT ${size}`, [after])) as unknown as AccountRow[];
}

export async function findAccount(session: Session, account: Buffer): Promise<AccountRow | undefined> {
  const row = await session.row(`${ACCOUNT} = ?`, [account]);
  return row as unknown as AccountRow | undefined;
}

/** Articles and tombstones changed after `since`, oldest change first. */
export async function itemsAfter(session: Session, account: Buffer, since: Timestamp, size: number) {
  const rows = await session.rows(
    `SELECT ${LISTED_COLUMNS} FROM articles WHERE account = ? AND last_modified > ? ORDER BY last_modified LIMIT ${size}`,
    [account, since],
  );
  return rows.map(toItem);
}

/** Writes the account's row, which locks it for the transaction, raising its timestamps to the given ones. */
export async function raiseTimestamps(session: Session, account: Buffer, clock: Timestamp, purgedUntil: Timestamp) {
  await session.run(`UPDATE accounts SET ${LATER('last_modified')}, ${LATER('purged_until')} WHERE account = ?`, [
    clock,
    clock,
    purgedUntil,
    purgedUntil,
    account,
  ]);
}

export async function addToLiveCount(session: Session, account: Buffer, delta: number): Promise<void> {
  await session.run('UPDATE accounts SET live_count = live_count + ? WHERE account = ?', [delta, account]);
}

/** Which of these ids the account has, with the timestamp of each. */
export async function timestampsOf(session: Session, account: Buffer, ids: readonly string[]) {
  const marks = ids.map(() => '?').join(', ');
  const rows = await session.rows(
    `SELECT id, last_modified, deleted FROM articles WHERE account = ? AND id IN (${marks})`,
    [account, ...ids.map(idBytes)],
  );
  return new Map(rows.map((row) => [(row.id as Buffer).toString('hex'), row]));
}

/** True when another live article of the account has the url or the resolved_url. */
export async function isTaken(
  session: Session,
  account: Buffer,
  { id, url, resolved_url }: Pick<Article, 'id' | 'url' | 'resolved_url'>,
): Promise<boolean> {
  const taken = 'SELECT 1 FROM articles WHERE account = ? AND id <> ? AND';
  const row = await session.row(`${taken} url_hash = ? UNION ALL ${taken} resolved_url_hash = ?`, [
    account,
    idBytes(id),
    urlHash(url),
    account,
    idBytes(id),
    urlHash(resolved_url),
  ]);
  return row !== undefined;
}

export async function insertTombstone(session: Session, account: Buffer, { id, last_modified }: Tombstone) {
  await session.run('INSERT INTO articles (account, id, last_modified, deleted) VALUES (?, ?, ?, 1)', [
    account,
    idBytes(id),
    last_modified,
  ]);
}

export async function deleteItem(session: Session, account: Buffer, id: string): Promise<void> {
  await session.run('DELETE FROM articles WHERE account = ? AND id = ?', [account, idBytes(id)]);
}

/** Deletes everything up to a timestamp for good and returns how many records that were. */
export async function eraseUntil(session: Session, account: Buffer, until: Timestamp): Promise<number> {
  const { affectedRows } = await session.run('DELETE FROM articles WHERE account = ? AND last_modified <= ?', [
    account,
    until,
  ]);
  return affectedRows;
}

export async function eraseAccount(session: Session, account: Buffer): Promise<void> {
  await session.run('DELETE FROM accounts WHERE account = ?', [account]);
}
