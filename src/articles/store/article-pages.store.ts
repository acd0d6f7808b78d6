import type { Collection } from '../../accounts/account.row.js';
import { findCollection } from '../../accounts/accounts.store.js';
import type { Row, Session } from '../../database/session.js';
import type { SortKey } from '../../protocol/collection-query.js';
import type { PagePosition, PageStart } from '../../protocol/page-token.js';
import { mustStartOver } from '../../protocol/purge-horizon.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import type { Article, Tombstone } from '../article.js';
import { idText, lacksExcerpt, LEAST_BYTES, leastBytes, MOST_TO_LEAST, toItem, TooHeavy } from './article.row.js';
import { findExcerpts } from './articles.store.js';
import { type IndexHint, isScan, outlineStatement, type PageRequest, pageStatement } from './page-statement.js';

/**
 * A page of a listing. `total` counts the whole listing as of its first page; `next` is where the following page
 * starts; `purged_until` tells which tombstones were gone when the page was read.
 */
export interface Page {
  items: (Article | Tombstone)[];
  total: number;
  next?: PageStart;
  purged_until: Timestamp;
}

/** The most rows that one statement reads: a few megabytes with short excerpts. */
const ROWS_AT_ONCE = 128;

/** The rows of a page that are known to fit, and whether more follow. */
interface Rows {
  rows: Row[];
  hasMore: boolean;
  first: Row | undefined;
}

/**
 * Reads one page, in a single statement unless the page is empty, has long excerpts or more than a hundred items.
 * `collection` was read earlier: its count is the total when there are no filters, but tombstones may have been purged
 * since. The total is counted only once, so that paging through n records costs O(n), not O(n²). Rows that do not fit
 * the page are not read.
 * @param lightest a page that may take more bytes is not read; `TooHeavy` is returned instead
 */
export async function findPage(
  session: Session,
  hint: IndexHint,
  account: Buffer,
  request: PageRequest,
  collection: Collection,
  lightest = Infinity,
): Promise<Page | TooHeavy> {
  const { rows, hasMore, first } = await findRows(session, hint, account, request);
  const least = rows.reduce((sum, row) => sum + leastBytes(row), 0);
  const isCertain = least * MOST_TO_LEAST <= request.maxBytes;
  if (least > lightest) return new TooHeavy(least);
  if (request.countOnly && !isCertain) {
    // Only the items tell where the page ends.
    const page = await findPage(session, hint, account, { ...request, countOnly: false }, collection, lightest);
    return page instanceof TooHeavy ? page : { ...page, items: [] };
  }
  const total = request.start?.total ?? firstTotal(first, request, collection);
  const complete = request.countOnly ? [] : await withExcerpts(session, account, rows);
  const items = complete.map(toItem);
  const fitting = isCertain ? items.length : countFitting(items, request.maxBytes);
  const isCut = fitting < items.length;
  const last = isCut ? complete[fitting - 1] : rows.at(-1);
  return {
    items: isCut ? items.slice(0, fitting) : items,
    total,
    next: (hasMore || isCut) && last ? { total, position: positionOf(last, request.sort) } : undefined,
    purged_until:
      (first?.purged_until as Timestamp | undefined) ?? (await purgedUntil(session, account, request, collection)),
  };
}

/** A collection, and what a page of it comes to: `items` is empty. */
export interface Outline {
  collection: Collection;
  page: Page;
}

/** True for a count-only first page in order of time whose cost is bounded by the page size. */
export const isOutlined = (request: PageRequest): boolean =>
  request.countOnly && !request.start && request.sort.length === 1 && request.size <= ROWS_AT_ONCE && !isScan(request);

/**
 * The collection and such a page of it, read in one statement and therefore consistent. Undefined before the user's
 * first request, and where only the items tell where the page ends.
 */
export async function findOutline(
  session: Session,
  hint: IndexHint,
  account: Buffer,
  request: PageRequest,
): Promise<Outline | undefined> {
  const { sql, parameters } = outlineStatement(account, hint, request);
  const row = await session.row(sql, parameters);
  if (!row) return undefined;
  const [total, items] = [Number(row.total), Number(row.items)];
  // MySQL returns sums as strings.
  if ((items * LEAST_BYTES + Number(row.bytes)) * MOST_TO_LEAST > request.maxBytes) return undefined;
  const collection = row as unknown as Collection;
  const next = total > items ? { total, position: [row.k0 as Timestamp] } : undefined;
  return { collection, page: { items: [], total, next, purged_until: collection.purged_until } };
}

/** Reads rows until the page is full, by number of items or by their minimum size. */
async function findRows(session: Session, hint: IndexHint, account: Buffer, request: PageRequest): Promise<Rows> {
  const rows: Row[] = [];
  let first: Row | undefined;
  let bytes = 0;
  for (let { start } = request; ;) {
    const limit = Math.min(request.size + 1 - rows.length, ROWS_AT_ONCE);
    const { sql, parameters } = pageStatement(
      account,
      hint,
      { ...request, start, isFirst: first === undefined },
      limit,
    );
    let isFull = false;
    const take = (row: Row): boolean => {
      bytes += leastBytes(row);
      isFull = rows.length === request.size || (rows.length > 0 && bytes > request.maxBytes);
      if (!isFull) rows.push(row);
      return isFull;
    };
    const found = await session.rows(sql, parameters, take);
    first ??= found[0];
    if (isFull) return { rows, hasMore: true, first };
    if (found.length < limit) return { rows, hasMore: false, first };
    start = { total: 0, position: positionOf(found.at(-1)!, request.sort) };
  }
}

/** Fills in the long excerpts that were left out. A row that changed in the meantime is dropped: it now sorts later. */
async function withExcerpts(session: Session, account: Buffer, rows: Row[]): Promise<Row[]> {
  const long = rows.filter(lacksExcerpt);
  if (long.length === 0) return rows;
  const excerpts = await findExcerpts(session, account, long);
  return rows.flatMap((row) => {
    if (!long.includes(row)) return [row];
    const excerpt = excerpts.get(`${row.id_digits as string} ${row.last_modified as number}`);
    return excerpt === undefined ? [] : [{ ...row, excerpt }];
  });
}

/** How many items, at least one, fit into `maxBytes` of JSON. */
function countFitting(items: (Article | Tombstone)[], maxBytes: number): number {
  let bytes = 0;
  const beyond = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > maxBytes);
  return beyond < 0 ? items.length : Math.max(1, beyond);
}

/** Every row of a filtered first page carries the total; no rows means a total of 0. */
const firstTotal = (row: Row | undefined, { filters }: PageRequest, { live_count }: Collection): number =>
  filters.length > 0 ? ((row?.total as number | undefined) ?? 0) : live_count;

/**
 * An empty page carries no `purged_until`, so it is queried unless the device has seen every change or lists no
 * tombstones.
 */
async function purgedUntil(session: Session, account: Buffer, { filters }: PageRequest, known: Collection) {
  if (!mustStartOver(filters, known.last_modified)) return known.purged_until;
  return (await findCollection(session, account))?.purged_until ?? 0;
}

const positionOf = (row: Row, sort: readonly SortKey[]): PagePosition =>
  sort.map((key, at) => positionValue(key, row[`k${at}`]!));

function positionValue({ field }: SortKey, value: string | number | Buffer | null): PagePosition[number] {
  return field === 'id' ? idText(value as Buffer) : (value as string | number | null);
}
