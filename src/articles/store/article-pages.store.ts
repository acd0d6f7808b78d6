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
 * A page of a listing; `total` is that of the whole listing when its first page was read, `next` is where the following page
 * begins, `purged_until` tells which tombstones were gone when the page was read.
 */
export interface Page {
  items: (Article | Tombstone)[];
  total: number;
  next?: PageStart;
  purged_until: Timestamp;
}

/** Rows that one statement reads at most: with short excerpts some megabytes. */
const ROWS_AT_ONCE = 128;

/** The rows of a page, as far as they are known to fit, and whether more remain after them. */
interface Rows {
  rows: Row[];
  hasMore: boolean;
  first: Row | undefined;
}

/**
 * One page in one statement, but for some empty ones, long excerpts and pages of more than a hundred items. `collection` was
 * read before: its count is the total where nothing is filtered, but tombstones may have gone since. The total is counted
 * once, so that a walk through n records costs n, not n². What does not fit the page is not read either.
 * @param lightest pages that may take more bytes are not read, but given back as `TooHeavy`
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
    // Where the page ends cannot be told without its items.
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

/** True for the first page of a listing in the order of time that is only counted, and whose cost the page bounds. */
export const isOutlined = (request: PageRequest): boolean =>
  request.countOnly && !request.start && request.sort.length === 1 && request.size <= ROWS_AT_ONCE && !isScan(request);

/**
 * The collection, and such a page of it, in one statement, which therefore shows one state of both. Undefined before the user's
 * first contact, and where only the items themselves can tell where the page ends.
 */
export async function findOutline(
  session: Session,
  hint: IndexHint,
  account: Buffer,
  request: PageRequest,
): Promise<{ collection: Collection; page: Page } | undefined> {
  const { sql, parameters } = outlineStatement(account, hint, request);
  const row = await session.row(sql, parameters);
  if (!row) return undefined;
  const [total, items] = [Number(row.total), Number(row.items)];
  // MySQL gives sums as texts.
  if ((items * LEAST_BYTES + Number(row.bytes)) * MOST_TO_LEAST > request.maxBytes) return undefined;
  const collection = row as unknown as Collection;
  const next = total > items ? { total, position: [row.k0 as Timestamp] } : undefined;
  return { collection, page: { items: [], total, next, purged_until: collection.purged_until } };
}

/** Reads rows until the page is full by number or by what they take at least. */
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

/** The rows with the long excerpts that were left out; one that changed meanwhile has moved on in the order. */
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

/** How many items, one at least, take no more than so many bytes in JSON. */
function countFitting(items: (Article | Tombstone)[], maxBytes: number): number {
  let bytes = 0;
  const beyond = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > maxBytes);
  return beyond < 0 ? items.length : Math.max(1, beyond);
}

/** Every row of a filtered first page carries the total; where there is no row there is nothing to count. */
const firstTotal = (row: Row | undefined, { filters }: PageRequest, { live_count }: Collection): number =>
  filters.length > 0 ? ((row?.total as number | undefined) ?? 0) : live_count;

/** An empty page does not carry this one, which is asked for again unless the device has seen all changes, or lists no tombstones. */
async function purgedUntil(session: Session, account: Buffer, { filters }: PageRequest, known: Collection) {
  if (!mustStartOver(filters, known.last_modified)) return known.purged_until;
  return (await findCollection(session, account))?.purged_until ?? 0;
}

const positionOf = (row: Row, sort: readonly SortKey[]): PagePosition =>
  sort.map((key, at) => positionValue(key, row[`k${at}`]!));

function positionValue({ field }: SortKey, value: string | number | Buffer | null): PagePosition[number] {
  return field === 'id' ? idText(value as Buffer) : (value as string | number | null);
}
