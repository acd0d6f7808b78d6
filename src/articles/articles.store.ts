import type { Session } from '../database/session.js';
import { includesTombstones, type CollectionQuery, type Filter, type SortKey } from '../protocol/collection-query.js';
import type { PagePosition } from '../protocol/page-token.js';
import type { Timestamp } from '../protocol/timestamp.js';
import type { Article, Tombstone } from './article.js';
import { COLUMNS, idBytes, idText, LISTED_COLUMNS, parameterOf, rowValues, toItem, urlHash } from './article.row.js';
import { after, allOf, listed, orderBy, positionColumns, type Condition } from './conditions.js';

/** The state of a user's collection: its timestamp, its live articles, and up to where tombstones are gone. */
export interface Collection {
  last_modified: Timestamp;
  live_count: number;
  purged_until: Timestamp;
}

/**
 * A page of a listing; `total` counts the whole listing, `next` is where the following page begins, `purged_until` is as it
 * was when the page was read: undefined of an empty page, and where tombstones are not listed.
 */
export interface Page {
  items: (Article | Tombstone)[];
  total: number;
  next?: PagePosition;
  purged_until?: Timestamp;
}

/** What to list: a parsed query, the size of the page and where it begins. */
export interface PageRequest extends Pick<CollectionQuery, 'filters' | 'sort'> {
  size: number;
  position?: PagePosition;
  /** Leave `items` empty: only the counts and the next position are wanted. */
  countOnly: boolean;
}

/** The hint that lets a statement name the index it needs. */
type IndexHint = (index: string) => string;

const INSERT = `INSERT INTO articles (account, ${COLUMNS.join(', ')}) VALUES (?${', ?'.repeat(COLUMNS.length)})`;
const COLLECTION = 'SELECT last_modified, live_count, purged_until FROM accounts WHERE account = ?';
const ONE = `SELECT ${LISTED_COLUMNS} FROM articles WHERE account = ? AND id = ?`;
const HOLDER = `SELECT ${LISTED_COLUMNS} FROM articles WHERE account = ? AND`;
const BURY = `deleted = 1, url_hash = NULL, resolved_url_hash = NULL, ${COLUMNS.filter(
  (column) => !['id', 'last_modified', 'deleted', 'url_hash', 'resolved_url_hash'].includes(column),
)
  .map((column) => `${column} = NULL`)
  .join(', ')}`;
const PURGED_UNTIL = '(SELECT purged_until FROM accounts WHERE account = ?) AS purged_until';
const CHUNK = 200;

/** The account's collection, or undefined before the user's first contact. */
export async function findCollection(session: Session, account: Buffer): Promise<Collection | undefined> {
  const [row] = await session.rows(COLLECTION, [account]);
  return row as unknown as Collection | undefined;
}

/** The live article or tombstone of that id. */
export async function findItem(
  session: Session,
  account: Buffer,
  id: string,
): Promise<Article | Tombstone | undefined> {
  const [row] = await session.rows(ONE, [account, idBytes(id)]);
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
  const rows = await session.rows(`SELECT id FROM articles WHERE ${sql} ORDER BY last_modified`, parameters);
  return rows.map((row) => idText(row.id as Buffer));
}

/** One page in one statement; `liveCount` is the total where nothing is filtered. */
export async function findPage(
  session: Session,
  hint: IndexHint,
  account: Buffer,
  request: PageRequest,
  liveCount: number,
): Promise<Page> {
  const scope = listed(account, request.filters);
  const isFiltered = request.filters.length > 0;
  const { sql, parameters } = pageStatement(account, scope, hint, request);
  const rows = await session.rows(sql, parameters);
  const hasMore = rows.length > request.size;
  const page = hasMore ? rows.slice(0, request.size) : rows;
  const last = page.at(-1);
  const total = isFiltered
    ? ((rows[0]?.total as number | undefined) ?? (await countOf(session, scope, hint, request)))
    : liveCount;
  return {
    items: request.countOnly ? [] : page.map(toItem),
    total,
    next: hasMore && last ? request.sort.map((key, at) => positionValue(key, last[`k${at}`]!)) : undefined,
    purged_until: rows[0]?.purged_until as Timestamp | undefined,
  };
}

function pageStatement(account: Buffer, scope: Condition, hint: IndexHint, request: PageRequest): Condition {
  const { filters, sort, size, position, countOnly } = request;
  const index = indexFor(request, hint);
  const where = position ? allOf([scope, after(sort, position)]) : scope;
  const facts: Condition[] = [];
  if (filters.length > 0) {
    const total = `(SELECT COUNT(*) FROM articles${countIndex(request, hint)} WHERE ${scope.sql}) AS total`;
    facts.push({ sql: total, parameters: scope.parameters });
  }
  if (includesTombstones(filters)) facts.push({ sql: PURGED_UNTIL, parameters: [account] });
  const columns = [...(countOnly ? [] : [LISTED_COLUMNS]), positionColumns(sort), ...facts.map(({ sql }) => sql)];
  return {
    sql: `SELECT ${columns.join(', ')} FROM articles${index} WHERE ${where.sql} ORDER BY ${orderBy(sort)} LIMIT ${size + 1}`,
    parameters: [...facts.flatMap(({ parameters }) => parameters), ...where.parameters],
  };
}

/** An empty page carries no total: it is zero on the first page and has to be counted on a later one. */
async function countOf(session: Session, scope: Condition, hint: IndexHint, request: PageRequest): Promise<number> {
  if (!request.position) return 0;
  const sql = `SELECT COUNT(*) AS total FROM articles${countIndex(request, hint)} WHERE ${scope.sql}`;
  const [row] = await session.rows(sql, scope.parameters);
  return row!.total as number;
}

const IN_LIVE_INDEX: ReadonlySet<string> = new Set([
  'last_modified',
  'deleted',
  'unread',
  'archived',
  'favorite',
  'is_article',
]);

/** The order of time is read off an index; any other order has to be sorted, and the planner knows best. */
function indexFor({ filters, sort }: PageRequest, hint: IndexHint): string {
  if (sort[0]?.field !== 'last_modified') return '';
  if (filters.some(({ field }) => !IN_LIVE_INDEX.has(field))) return '';
  return hint(includesTombstones(filters) ? 'uq_articles_last_modified' : 'ix_articles_live');
}

/** Counts by flags read an index only. */
function countIndex({ filters }: Pick<PageRequest, 'filters'>, hint: IndexHint): string {
  if (filters.some(({ field }) => !IN_LIVE_INDEX.has(field))) return '';
  const byTime = filters.every(({ field }) => field === 'last_modified');
  if (byTime) return hint('uq_articles_last_modified');
  return includesTombstones(filters) ? '' : hint('ix_articles_live');
}

function positionValue({ field }: SortKey, value: string | number | Buffer | null): PagePosition[number] {
  return field === 'id' ? idText(value as Buffer) : (value as string | number | null);
}

/** A query that finds a record only in exactly this version. */
export const versionQuery = (account: Buffer, id: string, last_modified: Timestamp) => ({
  sql: 'SELECT 1 FROM articles WHERE account = ? AND id = ? AND last_modified = ?',
  parameters: [account, idBytes(id), last_modified],
});
