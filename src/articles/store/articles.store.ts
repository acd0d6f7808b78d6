import { hash as digest } from 'node:crypto';
import { type Parameter, placeholders, type Row, type Session } from '../../database/session.js';
import {
  type ArticleField,
  type Field,
  FIELD_NAMES,
  FIELDS,
  MAX_CHARACTER_BYTES,
  MAX_FIXED_BYTES,
  TEXT_FIELDS,
} from '../../protocol/fields.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { uuidBytes, uuidOf } from '../../protocol/uuid.js';
import type { Article, Item } from '../article.js';

const HASHES = ['url_hash', 'resolved_url_hash'];

/** The stored columns of an article except the account, in the order of `rowValues`. */
const COLUMNS = [...FIELD_NAMES, 'deleted', ...HASHES];

const isInTombstones = (column: string): boolean => ['id', 'last_modified', 'deleted'].includes(column);
const BURY = [
  'deleted = 1',
  ...COLUMNS.filter((column) => !isInTombstones(column)).map((column) => `${column} = NULL`),
];

/** A record's id as hex text: drivers read text faster than bytes, which would allocate a Buffer for each row. */
export const ID_DIGITS = 'LOWER(HEX(id)) AS id_digits';

/** The columns that `toItem` needs. */
export const ITEM_COLUMNS = [ID_DIGITS, ...FIELD_NAMES.filter((field) => field !== 'id'), 'deleted'].join(', ');

const octets = TEXT_FIELDS.map((field) => `COALESCE(OCTET_LENGTH(${field}), 0)`);
/** The most bytes that an item takes as JSON. */
export const MOST_BYTES = `${MAX_FIXED_BYTES} + ${MAX_CHARACTER_BYTES} * (${octets.join(' + ')}) AS most_bytes`;

/** The id of a row with `ID_DIGITS`. */
export const idOf = (row: Row): string => uuidOf(row.id_digits as string);

/** The 32 bytes by which the database compares URLs of any length. */
export const urlHash = (url: string): Buffer => digest('sha256', url, 'buffer');

/** The live article of a row of `ITEM_COLUMNS`; undefined for a tombstone. */
const articleOf = (row: Row | undefined): Article | undefined =>
  row && !row.deleted ? liveArticle(row, idOf(row)) : undefined;

/** A row of `ITEM_COLUMNS` as responses show it. */
export const toItem = (row: Row): Item =>
  articleOf(row) ?? { id: idOf(row), last_modified: row.last_modified as number, deleted: true };

/** The expression for the value of a field in a row. An article may be older than the field, which is nullable then. */
export function valueOf(name: string, { kind, nullable }: Field): string {
  if (name === 'id') return 'id';
  if (kind !== 'boolean') return `row.${name}`;
  return nullable ? `row.${name} === null ? null : row.${name} === 1` : `row.${name} === 1`;
}

const values = FIELD_NAMES.map((field) => `${field}: ${valueOf(field, FIELDS[field])}`).join(', ');
/** Compiled from the field table: `row[field]` in a loop took V8 three times as long, as it meets all names there. */
// eslint-disable-next-line @typescript-eslint/no-implied-eval -- made of the names in the field table alone
const liveArticle = new Function('row', 'id', `return { ${values} };`) as (row: Row, id: string) => Article;

/** The values of `COLUMNS` for a live article. */
function rowValues(article: Article): Parameter[] {
  const fields = FIELD_NAMES.map((field) => (field === 'id' ? uuidBytes(article.id) : parameterOf(article[field])));
  const { url, resolved_url } = article;
  const hash = urlHash(url);
  return [...fields, 0, hash, resolved_url === url ? hash : urlHash(resolved_url)];
}

/** SQLite cannot bind booleans. */
export const parameterOf = (value: Parameter | boolean): Parameter =>
  typeof value === 'boolean' ? Number(value) : value;

const INSERT = `INSERT INTO articles (account, ${COLUMNS.join(', ')}) VALUES `;
const INSERT_ONE = INSERT + placeholders(['account', ...COLUMNS]);
const ONE = `SELECT ${ITEM_COLUMNS} FROM articles WHERE account = ? AND id = ?`;
// With a single OR condition MySQL would read all records of the account.
const BY_URLS = ['url_hash', 'resolved_url_hash']
  .map((hash) => `SELECT ${ITEM_COLUMNS} FROM articles WHERE account = ? AND ${hash} = ?`)
  .join(' UNION ALL ');

/** What an article is unique by. */
export type Urls = Pick<Article, 'url' | 'resolved_url'>;

/** The live article with that id. */
export async function findArticle(session: Session, account: Buffer, id: string): Promise<Article | undefined> {
  return articleOf(await session.row(ONE, [account, uuidBytes(id)]));
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

/** Turns the live ones of `ids` into tombstones with timestamps from `first` on; returns how many there were. */
export async function buryArticles(session: Session, account: Buffer, ids: string[], first: Timestamp) {
  const keys = ids.map(uuidBytes);
  const times = `CASE id ${'WHEN ? THEN ? '.repeat(ids.length)}END`;
  const sql = `UPDATE articles SET last_modified = ${times}, ${BURY.join(', ')}
    WHERE account = ? AND id IN ${placeholders(keys)} AND deleted = 0`;
  const { affectedRows } = await session.run(sql, [...keys.flatMap((key, at) => [key, first + at]), account, ...keys]);
  return affectedRows;
}
