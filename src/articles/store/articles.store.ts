import { placeholders, type Row, type Session } from '../../database/session.js';
import type { Filter } from '../../protocol/collection-query.js';
import type { ArticleField } from '../../protocol/fields.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { uuidBytes } from '../../protocol/uuid.js';
import type { Article } from '../article.js';
import {
  articleOf,
  COLUMNS,
  CONTENT_COLUMNS,
  ID_DIGITS,
  idOf,
  ITEM_COLUMNS,
  parameterOf,
  rowValues,
  urlHash,
} from './article.row.js';
import { allOf, listed } from './conditions.js';

const INSERT = `INSERT INTO articles (account, ${COLUMNS.join(', ')}) VALUES `;
const INSERT_ONE = INSERT + placeholders(['account', ...COLUMNS]);
const ONE = `SELECT ${ITEM_COLUMNS} FROM articles WHERE account = ? AND id = ?`;
const ONE_BY_URL = `SELECT ${ITEM_COLUMNS} FROM articles WHERE account = ? AND url_hash = ?`;
// With a single OR condition MySQL would read all records of the account.
const BY_URLS = ['url_hash', 'resolved_url_hash']
  .map((hash) => `SELECT ${ITEM_COLUMNS} FROM articles WHERE account = ? AND ${hash} = ?`)
  .join(' UNION ALL ');

const BURY = `deleted = 1, ${CONTENT_COLUMNS.map((column) => `${column} = NULL`).join(', ')}`;

/** What an article is unique by. */
export type Urls = Pick<Article, 'url' | 'resolved_url'>;

/** The live article with that id. */
export async function findArticle(session: Session, account: Buffer, id: string): Promise<Article | undefined> {
  return articleOf(await session.row(ONE, [account, uuidBytes(id)]));
}

/** The live article with that url. */
export async function findByUrl(session: Session, account: Buffer, url: string): Promise<Article | undefined> {
  return articleOf(await session.row(ONE_BY_URL, [account, urlHash(url)]));
}

/** The rows of the live articles with that url or that resolved_url: at most two. */
const rowsByUrls = (session: Session, account: Buffer, { url, resolved_url }: Urls): Promise<Row[]> =>
  session.rows(BY_URLS, [account, urlHash(url), account, urlHash(resolved_url)]);

/** The live article with that url or, failing that, with that resolved_url. */
export async function findByUrls(session: Session, account: Buffer, urls: Urls): Promise<Article | undefined> {
  const rows = await rowsByUrls(session, account, urls);
  return articleOf(rows.find((row) => row.url === urls.url) ?? rows[0]);
}

/** True when another live article has the url or the resolved_url. */
export async function isTaken(session: Session, account: Buffer, article: Urls & { id: string }): Promise<boolean> {
  const rows = await rowsByUrls(session, account, article);
  return rows.some((row) => idOf(row) !== article.id.toLowerCase());
}

export async function insertArticle(session: Session, account: Buffer, article: Article): Promise<void> {
  const row = [account, ...rowValues(article)];
  await (session.insertRow ? session.insertRow(INSERT, row) : session.run(INSERT_ONE, row));
}

/** Updates the given columns of a live article. Rejects with a duplicate-key error when its resolved URL is taken. */
export async function updateArticle(session: Session, account: Buffer, article: Article, fields: ArticleField[]) {
  // Raw SQL: every set of fields needs its own statement; these are thousands, too many to cache.
  const assignments = fields.map((field) => `${field} = ?`);
  const parameters = fields.map((field) => parameterOf(article[field]));
  if (fields.includes('resolved_url')) {
    assignments.push('resolved_url_hash = ?');
    parameters.push(urlHash(article.resolved_url));
  }
  const sql = `UPDATE articles SET ${assignments.join(', ')} WHERE account = ? AND id = ? AND deleted = 0`;
  await session.run(sql, [...parameters, account, uuidBytes(article.id)]);
}

/** Turns the live ones of `ids` into tombstones timed from `first` on; returns how many. `+` helps SQLite plan. */
export async function buryArticles(session: Session, account: Buffer, ids: string[], first: Timestamp) {
  const keys = ids.map(uuidBytes);
  const times = `CASE id ${'WHEN ? THEN ? '.repeat(ids.length)}END`;
  const sql = `UPDATE articles SET last_modified = ${times}, ${BURY}
    WHERE account = ? AND id IN ${placeholders(keys)} AND +deleted = 0`;
  const { affectedRows } = await session.run(sql, [...keys.flatMap((key, at) => [key, first + at]), account, ...keys]);
  return affectedRows;
}

/** Ids of the live articles that match, oldest change first; only among `ids` where given. */
export async function findLiveIds(session: Session, account: Buffer, filters: readonly Filter[], ids?: string[]) {
  let where = allOf([listed(account, filters), { sql: 'deleted = 0', parameters: [] }]);
  if (ids) {
    // Comparing the filters with 1, and the sign below, keep the planner on the primary key.
    const sql = `account = ? AND id IN ${placeholders(ids)} AND (${where.sql}) = 1`;
    where = { sql, parameters: [account, ...ids.map(uuidBytes), ...where.parameters] };
  }
  // Raw SQL: the conditions are those of a page.
  const select = `SELECT ${ID_DIGITS} FROM articles WHERE ${where.sql} ORDER BY ${ids ? '+' : ''}last_modified`;
  return (await session.rows(select, where.parameters)).map(idOf);
}
