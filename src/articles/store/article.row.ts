import { hash as digest } from 'node:crypto';
import type { Parameter, Row } from '../../database/session.js';
import type { Field } from '../../protocol/fields.js';
import { FIELD_NAMES, FIELDS, MAX_CHARACTER_BYTES, MAX_FIXED_BYTES, TEXT_FIELDS } from '../../protocol/fields.js';
import { uuidBytes, uuidOf } from '../../protocol/uuid.js';
import type { Article, Item } from '../article.js';

const KEPT_IN_TOMBSTONES = ['id', 'last_modified'];
export const HASHES = ['url_hash', 'resolved_url_hash'];

/** The stored columns of an article except the account, in the order of `rowValues`. */
export const COLUMNS = [...FIELD_NAMES, 'deleted', ...HASHES];

/** The columns that are null in a tombstone. */
export const CONTENT_COLUMNS = [...FIELD_NAMES.filter((field) => !KEPT_IN_TOMBSTONES.includes(field)), ...HASHES];

/** A record's id as hex text: drivers read text faster than bytes, which would allocate a Buffer for each row. */
export const ID_DIGITS = 'LOWER(HEX(id)) AS id_digits';

/** The columns that `toItem` needs. */
export const ITEM_COLUMNS = [ID_DIGITS, ...FIELD_NAMES.filter((field) => field !== 'id'), 'deleted'].join(', ');

const octets = TEXT_FIELDS.map((field) => `COALESCE(OCTET_LENGTH(${field}), 0)`);
/** The most bytes that an item takes as JSON. */
export const MOST_BYTES = `${MAX_FIXED_BYTES} + ${MAX_CHARACTER_BYTES} * (${octets.join(' + ')}) AS most_bytes`;
/** The same for an item that was read. */
export const mostBytesOf = (item: Partial<Article>): number =>
  TEXT_FIELDS.reduce((sum, field) => sum + MAX_CHARACTER_BYTES * String(item[field] ?? '').length, MAX_FIXED_BYTES);

/** The id of a row with `ID_DIGITS`. */
export const idOf = (row: Row): string => uuidOf(row.id_digits as string);

/** The 32 bytes by which the database compares URLs of any length. */
export const urlHash = (url: string): Buffer => digest('sha256', url, 'buffer');

/** The live article of a row of `ITEM_COLUMNS`; undefined for a tombstone. */
export const articleOf = (row: Row | undefined): Article | undefined =>
  row && !row.deleted ? liveArticle(row, idOf(row)) : undefined;

/** A row of `ITEM_COLUMNS` as responses show it. */
export const toItem = (row: Row): Item =>
  articleOf(row) ?? { id: idOf(row), last_modified: row.last_modified as number, deleted: true };

/** The expression for the value of a field in a row. An article may be older than the field, which is nullable then. */
export function valueExpression(name: string, { kind, nullable }: Field): string {
  if (name === 'id') return 'id';
  if (kind !== 'boolean') return `row.${name}`;
  return nullable ? `row.${name} === null ? null : row.${name} === 1` : `row.${name} === 1`;
}

/** Compiled from the field table: `row[field]` in a loop took V8 three times as long, as it meets all names there. */
// eslint-disable-next-line @typescript-eslint/no-implied-eval -- made of the names in the field table alone
const liveArticle = new Function(
  'row',
  'id',
  `return { ${FIELD_NAMES.map((field) => `${field}: ${valueExpression(field, FIELDS[field])}`).join(', ')} };`,
) as (row: Row, id: string) => Article;

/** The values of `COLUMNS` for a live article. */
export function rowValues(article: Article): Parameter[] {
  const fields = FIELD_NAMES.map((field) => (field === 'id' ? uuidBytes(article.id) : parameterOf(article[field])));
  const { url, resolved_url } = article;
  const hash = urlHash(url);
  return [...fields, 0, hash, resolved_url === url ? hash : urlHash(resolved_url)];
}

/** SQLite cannot bind booleans. */
export const parameterOf = (value: Parameter | boolean): Parameter =>
  typeof value === 'boolean' ? Number(value) : value;
