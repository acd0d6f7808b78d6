import { StoredArticle } from '../../database/entities/article.entity.js';
import { keptStatement } from '../../database/entities/kept-statement.js';
import type { Row, Session } from '../../database/session.js';
import type { Filter } from '../../protocol/collection-query.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import type { Article } from '../article.js';
import {
  articleOf,
  COLUMNS,
  COLUMNS_BY_WEIGHT,
  CONTENT_COLUMNS,
  type HeavyArticle,
  ID_DIGITS,
  idBytes,
  idOf,
  parameterOf,
  rowValues,
  urlHash,
  type Weight,
} from './article.row.js';
import { allOf, type Condition, listed } from './conditions.js';

const INSERT = keptStatement((entities) =>
  entities
    .createQueryBuilder()
    .insert()
    .into(StoredArticle)
    .values(Object.fromEntries(['account', ...COLUMNS].map((column) => [column, () => '?']))),
);

const one = (weight: Weight) =>
  keptStatement((entities) =>
    entities.createQueryBuilder(StoredArticle, 'r').select(COLUMNS_BY_WEIGHT[weight]).where('account = ? AND id = ?'),
  );
const ONE = { light: one('light'), any: one('any') };

// Text: MySQL reads all records of the account where the two are one condition, and no builder knows UNION.
const holders = (weight: Weight) =>
  ['url_hash', 'resolved_url_hash']
    .map((hash) => `SELECT ${COLUMNS_BY_WEIGHT[weight]} FROM articles WHERE account = ? AND ${hash} = ?`)
    .join(' UNION ALL ');
const HOLDERS = { light: holders('light'), any: holders('any') };

// Text: which records it takes, and that their timestamps follow each other, is the guarantee.
const BURY = `deleted = 1, ${CONTENT_COLUMNS.map((column) => `${column} = NULL`).join(', ')}`;

/** The live article of that id. */
export async function findArticle(
  session: Session,
  account: Buffer,
  id: string,
  weight: Weight,
): Promise<Article | HeavyArticle | undefined> {
  const row = await session.row(ONE[weight](session), [account, idBytes(id)]);
  return row && !row.deleted ? articleOf(row) : undefined;
}

/** The excerpts of some rows that still have the timestamp of the row, by the digits of the id and that timestamp. */
export async function findExcerpts(session: Session, account: Buffer, rows: Row[]): Promise<Map<string, string>> {
  const keys = rows.map(({ id_digits }) => Buffer.from(id_digits as string, 'hex'));
  // Text: another statement for every number of rows.
  const found = await session.rows(
    `SELECT ${ID_DIGITS}, last_modified, excerpt FROM articles
     WHERE account = ? AND id IN (${keys.map(() => '?').join(', ')})`,
    [account, ...keys],
  );
  return new Map(
    found.map((row) => [`${row.id_digits as string} ${row.last_modified as number}`, row.excerpt as string]),
  );
}

/** The live article that holds `url` as its url or else `resolved_url` as its resolved_url. */
export async function findHolder(
  session: Session,
  account: Buffer,
  { url, resolved_url }: Pick<Article, 'url' | 'resolved_url'>,
  weight: Weight,
): Promise<Article | HeavyArticle | undefined> {
  const rows = await session.rows(HOLDERS[weight], [account, urlHash(url), account, urlHash(resolved_url)]);
  const holder = rows.find((row) => row.url === url) ?? rows[0];
  return holder && articleOf(holder);
}

export async function insertArticle(session: Session, account: Buffer, article: Article): Promise<void> {
  await session.run(INSERT(session), [account, ...rowValues(article)]);
}

/** Writes the given columns of a live article. Rejects with a duplicate-key error when its resolved URL is taken. */
export async function updateArticle(
  session: Session,
  account: Buffer,
  article: Article,
  fields: readonly (keyof Article)[],
): Promise<void> {
  // Text: there are as many statements as sets of fields, thousands, too many to keep.
  const assignments = fields.map((field) => `${field} = ?`);
  const parameters = fields.map((field) => parameterOf(article[field]));
  if (fields.includes('resolved_url')) {
    assignments.push('resolved_url_hash = ?');
    parameters.push(urlHash(article.resolved_url));
  }
  const sql = `UPDATE articles SET ${assignments.join(', ')} WHERE account = ? AND id = ? AND deleted = 0`;
  await session.run(sql, [...parameters, account, idBytes(article.id)]);
}

/**
 * Turns those of some live articles that match into tombstones, the first at `first`, each following one millisecond later.
 * Returns how many.
 */
export async function buryArticles(
  session: Session,
  account: Buffer,
  ids: string[],
  first: Timestamp,
  filters: readonly Filter[] = [],
): Promise<number> {
  const keys = ids.map(idBytes);
  const times = `CASE id ${'WHEN ? THEN ? '.repeat(ids.length)}END`;
  const { sql, parameters } = among(account, keys, filters);
  const { affectedRows } = await session.run(`UPDATE articles SET last_modified = ${times}, ${BURY} WHERE ${sql}`, [
    ...keys.flatMap((key, at) => [key, first + at]),
    ...parameters,
  ]);
  return affectedRows;
}

const live = (account: Buffer, filters: readonly Filter[]): Condition =>
  allOf([listed(account, filters), { sql: 'deleted = 0', parameters: [] }]);

/** Live articles of these keys that match. Compared with 1, the filters lead no planner away from the key. */
function among(account: Buffer, keys: Buffer[], filters: readonly Filter[]): Condition {
  const { sql, parameters } = live(account, filters);
  const marks = keys.map(() => '?').join(', ');
  return { sql: `account = ? AND id IN (${marks}) AND (${sql}) = 1`, parameters: [account, ...keys, ...parameters] };
}

/** Ids of the live articles that match, or of those among some of them, oldest change first, up to a number. */
export async function findLiveIds(
  session: Session,
  account: Buffer,
  filters: readonly Filter[],
  { ids, atMost }: { ids?: string[]; atMost?: number } = {},
): Promise<string[]> {
  const { sql, parameters } = ids ? among(account, ids.map(idBytes), filters) : live(account, filters);
  // Text: the conditions are those of a page.
  const limit = atMost === undefined ? '' : ` LIMIT ${atMost}`;
  const rows = await session.rows(
    `SELECT ${ID_DIGITS} FROM articles WHERE ${sql} ORDER BY last_modified${limit}`,
    parameters,
  );
  return rows.map(idOf);
}

/** How many live articles match. */
export async function countLive(session: Session, account: Buffer, filters: readonly Filter[]): Promise<number> {
  const { sql, parameters } = live(account, filters);
  return (await session.row(`SELECT COUNT(*) AS count FROM articles WHERE ${sql}`, parameters))!.count as number;
}

/** A query that finds a record only in exactly this version. Text: it tells whether a write took place. */
export const versionQuery = (account: Buffer, id: string, last_modified: Timestamp) => ({
  sql: 'SELECT 1 FROM articles WHERE account = ? AND id = ? AND last_modified = ?',
  parameters: [account, idBytes(id), last_modified],
});
