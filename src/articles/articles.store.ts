import type { Session } from '../database/session.js';
import type { Filter } from '../protocol/collection-query.js';
import type { Timestamp } from '../protocol/timestamp.js';
import type { Article, Tombstone } from './article.js';
import {
  COLUMNS,
  ID_DIGITS,
  idBytes,
  idOf,
  LISTED_COLUMNS,
  parameterOf,
  rowValues,
  toItem,
  urlHash,
} from './article.row.js';
import { allOf, listed } from './conditions.js';

/** The state of a user's collection: its timestamp, its live articles, and up to where tombstones are gone. */
export interface Collection {
  last_modified: Timestamp;
  live_count: number;
  purged_until: Timestamp;
}

const INSERT = `INSERT INTO articles (account, ${COLUMNS.join(', ')}) VALUES (?${', ?'.repeat(COLUMNS.length)})`;
const COLLECTION = 'SELECT last_modified, live_count, purged_until FROM accounts WHERE account = ?';
const ONE = `SELECT ${LISTED_COLUMNS} FROM articles WHERE account = ? AND id = ?`;
const HOLDER = `SELECT ${LISTED_COLUMNS} FROM articles WHERE account = ? AND`;
const BURY = `deleted = 1, url_hash = NULL, resolved_url_hash = NULL, ${COLUMNS.filter(
  (column) => !['id', 'last_modified', 'deleted', 'url_hash', 'resolved_url_hash'].includes(column),
)
  .map((column) => `${column} = NULL`)
  .join(', ')}`;
const CHUNK = 200;

/** The account's collection, or undefined before the user's first contact. */
export function findCollection(session: Session, account: Buffer): Promise<Collection | undefined> {
  return session.row(COLLECTION, [account]) as Promise<Collection | undefined>;
}

/** The live article or tombstone of that id. */
export async function findItem(
  session: Session,
  account: Buffer,
  id: string,
): Promise<Article | Tombstone | undefined> {
  const row = await session.row(ONE, [account, idBytes(id)]);
  return row && toItem(row);
}

/** The live article that holds `url` as its url or else `resolved_url` as its resolved_url. */
export async function findHolder(
  session: Session,
  account: Buffer,
  { url, resolved_url }: Pick<Article, 'url' | 'resolved_url'>,
): Promise<Article | undefined> {
  const rows = await session.rows(`${HOLDER} url_hash = ? UNION ALL ${HOLDER} resolved_url_hash = ?`, [
    account,
    urlHash(url),
    account,
    urlHash(resolved_url),
  ]);
  const holders = rows.map(toItem) as Article[];
  return holders.find((holder) => holder.url === url) ?? holders[0];
}

export async function insertArticle(session: Session, account: Buffer, article: Article): Promise<void> {
  await session.run(INSERT, [account, ...rowValues(article)]);
}

/** Writes the given columns of a live article. Rejects with a duplicate-key error when its resolved URL is taken. */
export async function updateArticle(
  session: Session,
  account: Buffer,
  article: Article,
  fields: readonly (keyof Article)[],
): Promise<void> {
  const assignments = fields.map((field) => `${field} = ?`);
  const parameters = fields.map((field) => parameterOf(article[field]));
  if (fields.includes('resolved_url')) {
    assignments.push('resolved_url_hash = ?');
    parameters.push(urlHash(article.resolved_url));
  }
  const sql = `UPDATE articles SET ${assignments.join(', ')} WHERE account = ? AND id = ? AND deleted = 0`;
  await session.run(sql, [...parameters, account, idBytes(article.id)]);
}

/** Turns live articles into tombstones, the first at `first`, each following one millisecond later. Returns how many. */
export async function buryArticles(
  session: Session,
  account: Buffer,
  ids: string[],
  first: Timestamp,
): Promise<number> {
  let buried = 0;
  for (let start = 0; start < ids.length; start += CHUNK) {
    const chunk = ids.slice(start, start + CHUNK).map(idBytes);
    const times = `CASE id ${'WHEN ? THEN ? '.repeat(chunk.length)}END`;
    const marks = chunk.map(() => '?').join(', ');
    const { affectedRows } = await session.run(
      `UPDATE articles SET last_modified = ${times}, ${BURY} WHERE account = ? AND id IN (${marks}) AND deleted = 0`,
      [...chunk.flatMap((id, at) => [id, first + start + at]), account, ...chunk],
    );
    buried += affectedRows;
  }
  return buried;
}

/** Sets the clock to the last of several timestamps given out in one transaction and corrects the number of live articles. */
export async function settleCollection(session: Session, account: Buffer, last: Timestamp, buried: number) {
  await session.run('UPDATE accounts SET last_modified = ?, live_count = live_count - ? WHERE account = ?', [
    last,
    buried,
    account,
  ]);
}

/** Ids of the live articles that match, oldest change first. */
export async function findLiveIds(session: Session, account: Buffer, filters: readonly Filter[]): Promise<string[]> {
  const { sql, parameters } = allOf([listed(account, filters), { sql: 'deleted = 0', parameters: [] }]);
  const rows = await session.rows(`SELECT ${ID_DIGITS} FROM articles WHERE ${sql} ORDER BY last_modified`, parameters);
  return rows.map(idOf);
}

/** A query that finds a record only in exactly this version. */
export const versionQuery = (account: Buffer, id: string, last_modified: Timestamp) => ({
  sql: 'SELECT 1 FROM articles WHERE account = ? AND id = ? AND last_modified = ?',
  parameters: [account, idBytes(id), last_modified],
});
