import { createHash } from 'node:crypto';
import type { Parameter, Row } from '../database/session.js';
import { ARTICLE_FIELDS, type ArticleField } from '../protocol/fields.js';
import type { Article, Tombstone } from './article.js';

const FIELDS = Object.keys(ARTICLE_FIELDS) as ArticleField[];

/** The stored columns of an article but for the account, in the order of `rowValues`. */
export const COLUMNS = [...FIELDS, 'deleted', 'url_hash', 'resolved_url_hash'];

/** The columns a listing needs. */
export const LISTED_COLUMNS = [...FIELDS, 'deleted'].join(', ');

/** 16 bytes of a dashed UUID. */
export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

/** Lower-case dashed UUID of 16 bytes. */
export function idText(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The 32 bytes by which the database tells URLs apart, whatever their length. */
export const urlHash = (url: string): Buffer => createHash('sha256').update(url).digest();

/** A row of `articles` as the JSON of answers. */
export function toItem(row: Row): Article | Tombstone {
  const id = idText(row.id as Buffer);
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
