import { idBytes, idText, urlHash } from '../../articles/article.row.js';
import type { Row, Session } from '../../database/session.js';
import type { Timestamp } from '../../protocol/timestamp.js';

const NEWEST = '(SELECT MAX(last_modified) FROM articles n WHERE n.account = a.account)';
const LIVE = '(SELECT COUNT(*) FROM articles l WHERE l.account = a.account AND l.deleted = 0)';
const CONTENT = ['url', 'title', 'resolved_url', 'resolved_title', 'excerpt', 'preview', 'added_by', 'marked_read_by'];
const FLAGS = ['archived', 'favorite', 'is_article', 'unread', 'word_count', 'added_on', 'stored_on', 'read_position'];
const STRIPPED = [...CONTENT, ...FLAGS, 'marked_read_on', 'url_hash', 'resolved_url_hash'];
const UNSTRIPPED = `account = ? AND deleted = 1 AND (${STRIPPED.map((column) => `${column} IS NOT NULL`).join(' OR ')})`;

/** An account's clock and count as they are stored, and as its records say. */
export interface Totals {
  last_modified: Timestamp;
  live_count: number;
  newest: Timestamp | null;
  live: number;
}

/** A live record's addresses and the hashes that are stored for them. */
export interface Hashed {
  id: string;
  url: string | null;
  resolved_url: string | null;
  isRight: boolean;
}

/** The first account key after `after` in either table. */
export async function nextAccount(session: Session, after: Buffer): Promise<Buffer | undefined> {
  const first = (table: string) => `SELECT MIN(account) AS account FROM ${table} WHERE account > ?`;
  const rows = await session.rows(`${first('accounts')} UNION ALL ${first('articles')}`, [after, after]);
  const keys = rows.map((row) => row.account as Buffer | null).filter((key) => key !== null);
  return keys.sort((a, b) => a.compare(b))[0];
}

/** The highest clock of all users, 0 when there are none. */
export async function highestClock(session: Session): Promise<Timestamp> {
  const row = await session.row('SELECT MAX(last_modified) AS highest FROM accounts', []);
  return (row!.highest as Timestamp | null) ?? 0;
}

/** Both in one statement, so that they belong together while others write; undefined without a row in `accounts`. */
export async function totalsOf(session: Session, account: Buffer): Promise<Totals | undefined> {
  const row = await session.row(
    `SELECT last_modified, live_count, ${NEWEST} AS newest, ${LIVE} AS live FROM accounts a WHERE account = ?`,
    [account],
  );
  return row as unknown as Totals | undefined;
}

export async function newestOf(session: Session, account: Buffer): Promise<Timestamp> {
  const row = await session.row('SELECT MAX(last_modified) AS newest FROM articles WHERE account = ?', [account]);
  return (row!.newest as Timestamp | null) ?? 0;
}

export async function countUnstripped(session: Session, account: Buffer): Promise<number> {
  const row = await session.row(`SELECT COUNT(*) AS count FROM articles WHERE ${UNSTRIPPED}`, [account]);
  return row!.count as number;
}

export async function stripTombstones(session: Session, account: Buffer): Promise<void> {
  const assignments = STRIPPED.map((column) => `${column} = NULL`).join(', ');
  await session.run(`UPDATE articles SET ${assignments} WHERE ${UNSTRIPPED}`, [account]);
}

/** Live records in the order of their ids, from the one after `after`. */
export async function hashedAfter(session: Session, account: Buffer, after: Buffer, size: number): Promise<Hashed[]> {
  const rows = await session.rows(
    `SELECT id, url, url_hash, resolved_url, resolved_url_hash FROM articles
     WHERE account = ? AND id > ? AND deleted = 0 ORDER BY id LIMIT ${size}`,
    [account, after],
  );
  return rows.map(toHashed);
}

function toHashed(row: Row): Hashed {
  const url = row.url as string | null;
  const resolved_url = row.resolved_url as string | null;
  const isRight = isHashOf(row.url_hash!, url) && isHashOf(row.resolved_url_hash!, resolved_url);
  return { id: idText(row.id as Buffer), url, resolved_url, isRight };
}

const isHashOf = (stored: Row[string], text: string | null): boolean =>
  text !== null && Buffer.isBuffer(stored) && stored.equals(urlHash(text));

export async function writeHashes(session: Session, account: Buffer, { id, url, resolved_url }: Hashed): Promise<void> {
  await session.run('UPDATE articles SET url_hash = ?, resolved_url_hash = ? WHERE account = ? AND id = ?', [
    urlHash(url!),
    urlHash(resolved_url!),
    account,
    idBytes(id),
  ]);
}

export async function recount(session: Session, account: Buffer): Promise<void> {
  await session.run(
    'UPDATE accounts SET live_count = (SELECT COUNT(*) FROM articles WHERE account = ? AND deleted = 0) WHERE account = ?',
    [account, account],
  );
}
