import { createHash, randomUUID } from 'node:crypto';

/** A row from either driver. */
export type Row = Record<string, string | number | Buffer | null>;

export type Value = string | number | Buffer | null;

const FIELDS = `last_modified, url, preview, title, resolved_url, resolved_title, excerpt, archived, favorite,
  is_article, word_count, unread, added_by, added_on, stored_on, marked_read_by, marked_read_on, read_position, deleted`;

const READ = `LOWER(HEX(id)) AS id, ${FIELDS}`;

export const SQL = {
  clock: 'SELECT last_modified, live_count FROM accounts WHERE account = ?',
  settle: 'UPDATE accounts SET last_modified = ?, live_count = live_count + ? WHERE account = ?',
  one: `SELECT ${READ} FROM articles WHERE account = ? AND id = ?`,
  list: `SELECT ${READ} FROM articles WHERE account = ? AND deleted = 0 ORDER BY last_modified DESC LIMIT ?`,
  since: `SELECT ${READ}, (SELECT COUNT(*) FROM articles WHERE account = ? AND last_modified > ?) AS total
    FROM articles WHERE account = ? AND last_modified > ? ORDER BY last_modified DESC LIMIT ?`,
  countUnread: `SELECT last_modified, (SELECT COUNT(*) FROM articles r WHERE r.account = a.account AND deleted = 0
    AND unread = ?) AS total FROM accounts a WHERE account = ?`,
  insert: `INSERT INTO articles (account, id, ${FIELDS}, url_hash, resolved_url_hash) VALUES (?${', ?'.repeat(22)})`,
  holder: `SELECT ${READ} FROM articles WHERE account = ? AND url_hash = ?
    UNION ALL SELECT ${READ} FROM articles WHERE account = ? AND resolved_url_hash = ?`,
  retitle: 'UPDATE articles SET title = ?, last_modified = ? WHERE account = ? AND id = ? AND deleted = 0',
  bury: `UPDATE articles SET last_modified = ?, deleted = 1, url = NULL, url_hash = NULL, preview = NULL, title = NULL,
    resolved_url = NULL, resolved_url_hash = NULL, resolved_title = NULL, excerpt = NULL, archived = NULL, favorite = NULL,
    is_article = NULL, word_count = NULL, unread = NULL, added_by = NULL, added_on = NULL, stored_on = NULL,
    marked_read_by = NULL, marked_read_on = NULL, read_position = NULL WHERE account = ? AND id = ? AND deleted = 0`,
} as const;

export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

function idText(id: Value): string {
  const hex = Buffer.isBuffer(id) ? id.toString('hex') : String(id);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const hashOf = (url: string): Buffer => createHash('sha256').update(url).digest();

/** A record in the format of the service's responses. */
export function itemOf(row: Row): object {
  const id = idText(row.id!);
  if (row.deleted) return { id, last_modified: row.last_modified, deleted: true };
  return {
    id,
    last_modified: row.last_modified,
    url: row.url,
    preview: row.preview,
    title: row.title,
    resolved_url: row.resolved_url,
    resolved_title: row.resolved_title,
    excerpt: row.excerpt,
    archived: row.archived === 1,
    favorite: row.favorite === 1,
    is_article: row.is_article === 1,
    word_count: row.word_count,
    unread: row.unread === 1,
    added_by: row.added_by,
    added_on: row.added_on,
    stored_on: row.stored_on,
    marked_read_by: row.marked_read_by,
    marked_read_on: row.marked_read_on,
    read_position: row.read_position,
  };
}

/** The body of a POST. */
export interface Posted {
  url: string;
  title: string;
  added_by: string;
  excerpt: string;
  word_count: number;
}

/** The row of a new article without account and timestamp. */
export function newRow({ url, title, added_by, excerpt, word_count }: Posted, now: number): Row {
  return {
    id: idBytes(randomUUID()),
    last_modified: 0,
    url,
    preview: null,
    title,
    resolved_url: url,
    resolved_title: title,
    excerpt,
    archived: 0,
    favorite: 0,
    is_article: 1,
    word_count,
    unread: 1,
    added_by,
    added_on: now,
    stored_on: now,
    marked_read_by: null,
    marked_read_on: null,
    read_position: 0,
    deleted: 0,
    url_hash: hashOf(url),
    resolved_url_hash: hashOf(url),
  };
}

export const holderParameters = (account: Buffer, { url }: Posted): Value[] => {
  const hash = hashOf(url);
  return [account, hash, account, hash];
};
