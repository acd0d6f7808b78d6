import { createHash } from 'node:crypto';
import type { Parameter, Row } from '../../database/session.js';
import { ARTICLE_FIELDS, type ArticleField, FIELD_NAMES, type FieldValue } from '../../protocol/fields.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import type { Article, Tombstone } from '../article.js';

const KEPT_IN_TOMBSTONES: ReadonlySet<string> = new Set(['id', 'last_modified']);
const HASHES = ['url_hash', 'resolved_url_hash'];

/** The stored columns of an article but for the account, in the order of `rowValues`. */
export const COLUMNS = [...FIELD_NAMES, 'deleted', ...HASHES];

/** The columns that are null in a tombstone. */
export const CONTENT_COLUMNS = [...FIELD_NAMES.filter((field) => !KEPT_IN_TOMBSTONES.has(field)), ...HASHES];

/** A record's id as a column of digits: a listing reads text faster than bytes, each of which would be a Buffer of its own. */
export const ID_DIGITS = 'LOWER(HEX(id)) AS id_digits';

/** The columns a listing needs. */
export const LISTED_COLUMNS = [ID_DIGITS, ...FIELD_NAMES.filter((field) => field !== 'id'), 'deleted'].join(', ');

const TEXTS = FIELD_NAMES.filter((field) => ['url', 'title', 'device'].includes(ARTICLE_FIELDS[field]));
/** Longer excerpts are left to a second look, which reads only those that fit the page. */
const SHORT_EXCERPT = 4_096;
/** One record may have a longer one before memory has to have room for it. */
const LIGHT_EXCERPT = 65_536;

/** The listed columns with a longer excerpt left out, and the length of every excerpt in bytes. */
const columnsUpTo = (bytes: number): string =>
  LISTED_COLUMNS.replace(
    'excerpt,',
    `CASE WHEN OCTET_LENGTH(excerpt) <= ${bytes} THEN excerpt END AS excerpt, OCTET_LENGTH(excerpt) AS excerpt_bytes,`,
  );
export const SHORT_COLUMNS = columnsUpTo(SHORT_EXCERPT);

/** What is read of one record: without a heavy excerpt, or all. */
export type Weight = 'light' | 'any';
export const COLUMNS_BY_WEIGHT: Readonly<Record<Weight, string>> = {
  light: columnsUpTo(LIGHT_EXCERPT),
  any: LISTED_COLUMNS,
};

/** True for a row whose excerpt was left out. */
export const lacksExcerpt = ({ excerpt, excerpt_bytes }: Row): boolean =>
  excerpt === null && typeof excerpt_bytes === 'number';

/** What needs room in memory, at least so many bytes, before it is read. */
export class TooHeavy {
  constructor(readonly bytes: number) {}
}

/** What a look without heavy excerpts shows of an article that has one. */
export class HeavyArticle extends TooHeavy {
  constructor(
    bytes: number,
    readonly id: string,
    readonly last_modified: Timestamp,
  ) {
    super(bytes);
  }
}

/** What the values of a record take, in bytes, as a column. */
export const BYTES = `${[...TEXTS, 'excerpt'].map((field) => `COALESCE(OCTET_LENGTH(${field}), 0)`).join(' + ')} AS bytes`;

/** A tombstone takes about as much in JSON, and an article besides its texts no more than six times that. */
export const LEAST_BYTES = 100;

/** The least and, six times that, the most that a row of `SHORT_COLUMNS` or `BYTES` can take in JSON. */
export function leastBytes(row: Row): number {
  if (row.bytes !== undefined) return LEAST_BYTES + (row.bytes as number);
  let bytes = LEAST_BYTES + ((row.excerpt_bytes as number | null) ?? 0);
  for (const field of TEXTS) bytes += (row[field] as string | null)?.length ?? 0;
  return bytes;
}
export const MOST_TO_LEAST = 6;

/** 16 bytes of a dashed UUID. */
export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** Lower-case dashed UUID of 16 bytes. */
export const idText = (bytes: Buffer): string => dashed(bytes.toString('hex'));

/** Lower-case dashed UUID of a row with `ID_DIGITS`. */
export const idOf = (row: Row): string => dashed(row.id_digits as string);

const dashed = (digits: string): string =>
  `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;

/** The 32 bytes by which the database tells URLs apart, whatever their length. */
export const urlHash = (url: string): Buffer => createHash('sha256').update(url).digest();

/** A row of `LISTED_COLUMNS` as the JSON of responses. */
export function toItem(row: Row): Article | Tombstone {
  const id = idOf(row);
  if (row.deleted) return { id, last_modified: row.last_modified as number, deleted: true };
  return liveArticle(id, row);
}

const BOOLEANS = FIELD_NAMES.filter((field) => ARTICLE_FIELDS[field] === 'boolean');
const OTHERS = FIELD_NAMES.filter((field) => field !== 'id' && ARTICLE_FIELDS[field] !== 'boolean');
/** Copied for each article, so that all have one shape: filled field by field from nothing it took V8 six times as long. */
const BLANK = Object.fromEntries(FIELD_NAMES.map((field) => [field, null])) as Record<ArticleField, FieldValue>;

function liveArticle(id: string, row: Row): Article {
  const article = { ...BLANK };
  article.id = id;
  for (const field of OTHERS) article[field] = row[field] as FieldValue;
  for (const field of BOOLEANS) article[field] = row[field] === 1;
  return article as Article;
}

/** The values of `COLUMNS` for a live article. */
export function rowValues(article: Article): Parameter[] {
  const fields = FIELD_NAMES.map((field) => (field === 'id' ? idBytes(article.id) : parameterOf(article[field])));
  return [...fields, 0, urlHash(article.url), urlHash(article.resolved_url)];
}

/** SQLite takes no booleans. */
export const parameterOf = (value: Parameter | boolean): Parameter =>
  typeof value === 'boolean' ? Number(value) : value;

/** The article of a row with the columns of some weight. */
export const articleOf = (row: Row): Article | HeavyArticle =>
  lacksExcerpt(row)
    ? new HeavyArticle(row.excerpt_bytes as number, idOf(row), row.last_modified as number)
    : liveArticle(idOf(row), row);
