import { hash } from 'node:crypto';
import type { Parameter, Row } from '../../database/session.js';
import { ARTICLE_FIELDS, type ArticleField, FIELD_NAMES } from '../../protocol/fields.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import type { Article, Tombstone } from '../article.js';

const KEPT_IN_TOMBSTONES: ReadonlySet<string> = new Set(['id', 'last_modified']);
const HASHES = ['url_hash', 'resolved_url_hash'];

/** The stored columns of an article except the account, in the order of `rowValues`. */
export const COLUMNS = [...FIELD_NAMES, 'deleted', ...HASHES];

/** The columns that are null in a tombstone. */
export const CONTENT_COLUMNS = [...FIELD_NAMES.filter((field) => !KEPT_IN_TOMBSTONES.has(field)), ...HASHES];

/** A record's id as hex text: listings read text faster than bytes, which would allocate a Buffer for each row. */
export const ID_DIGITS = 'LOWER(HEX(id)) AS id_digits';

/** The columns a listing needs. */
export const LISTED_COLUMNS = [ID_DIGITS, ...FIELD_NAMES.filter((field) => field !== 'id'), 'deleted'].join(', ');

const TEXTS = FIELD_NAMES.filter((field) => ['url', 'title', 'device'].includes(ARTICLE_FIELDS[field]));
/** Longer excerpts are read by a second statement, and only those that fit the page. */
const SHORT_EXCERPT = 4_096;
/** A single record's excerpt may be this long before memory has to be reserved for it. */
const LIGHT_EXCERPT = 65_536;

/** The listed columns, without excerpts longer than `bytes`, and with the length of every excerpt in bytes. */
const columnsUpTo = (bytes: number): string =>
  LISTED_COLUMNS.replace(
    'excerpt,',
    `CASE WHEN OCTET_LENGTH(excerpt) <= ${bytes} THEN excerpt END AS excerpt, OCTET_LENGTH(excerpt) AS excerpt_bytes,`,
  );
export const SHORT_COLUMNS = columnsUpTo(SHORT_EXCERPT);

/** How much of a record is read: everything but a heavy excerpt, or everything. */
export type Weight = 'light' | 'any';
export const COLUMNS_BY_WEIGHT: Readonly<Record<Weight, string>> = {
  light: columnsUpTo(LIGHT_EXCERPT),
  any: LISTED_COLUMNS,
};

/** True for a row whose excerpt was left out. */
export const lacksExcerpt = ({ excerpt, excerpt_bytes }: Row): boolean =>
  excerpt === null && typeof excerpt_bytes === 'number';

/** Something that was not read because at least `bytes` of memory have to be reserved first. */
export class TooHeavy {
  constructor(readonly bytes: number) {}
}

/** An article whose heavy excerpt was not read. */
export class HeavyArticle extends TooHeavy {
  constructor(
    bytes: number,
    readonly id: string,
    readonly last_modified: Timestamp,
  ) {
    super(bytes);
  }
}

/** A column with the size of a record's values in bytes. */
export const BYTES = `${[...TEXTS, 'excerpt'].map((field) => `COALESCE(OCTET_LENGTH(${field}), 0)`).join(' + ')} AS bytes`;

/** The approximate JSON size of a tombstone; an article without its texts takes at most six times as much. */
export const LEAST_BYTES = 100;

/** The minimum JSON size of a row of `SHORT_COLUMNS` or `BYTES`; the maximum is `MOST_TO_LEAST` times as much. */
export function leastBytes(row: Row): number {
  if (row.bytes !== undefined) return LEAST_BYTES + (row.bytes as number);
  return LEAST_BYTES + ((row.excerpt_bytes as number | null) ?? 0) + textLength(row);
}
export const MOST_TO_LEAST = 6;

/** The 16 bytes of a dashed UUID. */
export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** The lower-case dashed UUID of 16 bytes. */
export const idText = (bytes: Buffer): string => dashed(bytes.toString('hex'));

/** The lower-case dashed UUID of a row with `ID_DIGITS`. */
export const idOf = (row: Row): string => dashed(row.id_digits as string);

const dashed = (digits: string): string =>
  `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;

/** The 32 bytes by which the database compares URLs of any length. */
export const urlHash = (url: string): Buffer => hash('sha256', url, 'buffer');

/** A row of `LISTED_COLUMNS` as the JSON of responses. */
export function toItem(row: Row): Article | Tombstone {
  const id = idOf(row);
  if (row.deleted) return { id, last_modified: row.last_modified as number, deleted: true };
  return liveArticle(row, id);
}

/**
 * A function of a row, as an expression made of the field table. Compiled once: a page reads 19 columns of a hundred rows, and
 * `row[field]` in a loop over the fields took V8 three times as long, as it meets all the names in one place.
 */
function compiled<Result>(expression: string): (row: Row, id?: string) => Result {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- made of the names in the field table alone
  return new Function('row', 'id', `return ${expression};`) as (row: Row, id?: string) => Result;
}

const textLength = compiled<number>(TEXTS.map((field) => `(row.${field}?.length ?? 0)`).join(' + '));

function valueOf(field: ArticleField): string {
  if (field === 'id') return 'id';
  return ARTICLE_FIELDS[field] === 'boolean' ? `row.${field} === 1` : `row.${field}`;
}

const liveArticle = compiled<Article>(`({ ${FIELD_NAMES.map((field) => `${field}: ${valueOf(field)}`).join(', ')} })`);

/** The values of `COLUMNS` for a live article. */
export function rowValues(article: Article): Parameter[] {
  const fields = FIELD_NAMES.map((field) => (field === 'id' ? idBytes(article.id) : parameterOf(article[field])));
  return [...fields, 0, urlHash(article.url), urlHash(article.resolved_url)];
}

/** SQLite cannot bind booleans. */
export const parameterOf = (value: Parameter | boolean): Parameter =>
  typeof value === 'boolean' ? Number(value) : value;

/** The article of a row that was selected with `COLUMNS_BY_WEIGHT`. */
export const articleOf = (row: Row): Article | HeavyArticle =>
  lacksExcerpt(row)
    ? new HeavyArticle(row.excerpt_bytes as number, idOf(row), row.last_modified as number)
    : liveArticle(row, idOf(row));
