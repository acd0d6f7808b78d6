import type { Session } from '../database/session.js';
import { includesTombstones, type CollectionQuery, type SortKey } from '../protocol/collection-query.js';
import type { PagePosition } from '../protocol/page-token.js';
import { mustStartOver } from '../protocol/purge-horizon.js';
import type { Timestamp } from '../protocol/timestamp.js';
import type { Article, Tombstone } from './article.js';
import { idText, LISTED_COLUMNS, toItem } from './article.row.js';
import { type Collection, findCollection } from './articles.store.js';
import { after, allOf, listed, orderBy, positionColumns, type Condition } from './conditions.js';

/**
 * A page of a listing; `total` counts the whole listing, `next` is where the following page begins, `purged_until` tells which
 * tombstones were gone when the page was read.
 */
export interface Page {
  items: (Article | Tombstone)[];
  total: number;
  next?: PagePosition;
  purged_until: Timestamp;
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

const PURGED_UNTIL = '(SELECT purged_until FROM accounts WHERE account = ?) AS purged_until';

/**
 * One page in one statement, but for some empty ones. `collection` was read before: its count is the total where nothing is
 * filtered, but tombstones may have gone since.
 */
export async function findPage(
  session: Session,
  hint: IndexHint,
  account: Buffer,
  request: PageRequest,
  collection: Collection,
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
    : collection.live_count;
  return {
    items: request.countOnly ? [] : page.map(toItem),
    total,
    next: hasMore && last ? request.sort.map((key, at) => positionValue(key, last[`k${at}`]!)) : undefined,
    purged_until:
      (rows[0]?.purged_until as Timestamp | undefined) ?? (await purgedUntil(session, account, request, collection)),
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
  const row = await session.row(sql, scope.parameters);
  return row!.total as number;
}

/** Nor does it carry this one, which is asked for again unless the device has seen all changes, or lists no tombstones. */
async function purgedUntil(session: Session, account: Buffer, { filters }: PageRequest, known: Collection) {
  if (!mustStartOver(filters, known.last_modified)) return known.purged_until;
  return (await findCollection(session, account))?.purged_until ?? 0;
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
