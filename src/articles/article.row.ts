import { createHash } from 'node:crypto';
import type { Parameter, Row } from '../database/session.js';
import { ARTICLE_FIELDS, type ArticleField } from '../protocol/fields.js';
import type { Article, Tombstone } from './article.js';

const FIELDS = Object.keys(ARTICLE_FIELDS) as ArticleField[];

/** The stored columns of an article but for the account, in the order of `rowValues`. */
export const COLUMNS = [...FIELDS, 'deleted', 'url_hash', 'resolved_url_hash'];

/** A record's id as a column of digits: a listing reads text faster than bytes, each of which would be a Buffer of its own. */
export const ID_DIGITS = 'LOWER(HEX(id)) AS id_digits';

/** The columns a listing needs. */
export const LISTED_COLUMNS = [ID_DIGITS, ...FIELDS.filter((field) => field !== 'id'), 'deleted'].join(', ');

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

/** A row of `LISTED_COLUMNS` as the JSON of answers. */
export function toItem(row: Row): Article | Tombstone {
  const id = idOf(row);
  const last_modified = row.last_modified as number;
  if (row.deleted) return { id, last_modified, deleted: true };
  return {
    id,
    last_modified,
    url: row.url as string,
    preview: row.preview as string | null,
    title: row.title as string | null,
    resolved_url: row.resolved_url as string,
    resolved_title: row.resolved_title as string | null,
    excerpt: row.excerpt as string,
    archived: row.archived === 1,
    favorite: row.favorite === 1,
    is_article: row.is_article === 1,
    word_count: row.word_count as number | null,
    unread: row.unread === 1,
    added_by: row.added_by as string,
    added_on: row.added_on as number,
    stored_on: row.stored_on as number,
    marked_read_by: row.marked_read_by as string | null,
    marked_read_on: row.marked_read_on as number | null,
    read_position: row.read_position as number,
  };
}

/** The values of `COLUMNS` for a live article. */
export function rowValues(article: Article): Parameter[] {
  const fields = FIELDS.map((field) => (field === 'id' ? idBytes(article.id) : parameterOf(article[field])));
  return [...fields, 0, urlHash(article.url), urlHash(article.resolved_url)];
}

/** SQLite takes no booleans. */
export const parameterOf = (value: Parameter | boolean): Parameter =>
  typeof value === 'boolean' ? Number(value) : value;
