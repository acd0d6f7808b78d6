import { type Collection, collectionOf, findCollection, findCollectionWithout } from '../../accounts/accounts.store.js';
import type { Row, Session } from '../../database/session.js';
import type { SortKey } from '../../protocol/collection-query.js';
import type { PageStart } from '../../protocol/page-token.js';
import { uuidText } from '../../protocol/uuid.js';
import type { Item } from '../article.js';
import { MOST_BYTES, mostBytesOf, toItem } from './article.row.js';
import { isByTime, pageConditions, type PageRequest, pageStatement } from './conditions.js';

/** A page of a listing. `total` counts the whole listing as of its first page; `next` is where the following page starts. */
export interface Page {
  /** Absent in `findPageFacts`. */
  items?: PageItems;
  total: number;
  next?: PageStart;
  /** As of the page or earlier, except that `purged_until` is of the page: it tells which tombstones were gone. */
  collection: Collection;
}

/** Written in three quarters of the time of single items. Of more, too many would be written in vain where they may not fit. */
const WRITTEN_AT_ONCE = 16;
/** The most rows that one statement reads: a page may have thousands, and a record some 100 kB. */
const ROWS_AT_ONCE = 128;

/**
 * Reads one page together with its collection, in a single statement unless it is empty or may have more than a hundred
 * items. It ends with as many items as were requested or when they take `maxBytes`, but has at least one. Undefined for a
 * new user, or if the first items were written meanwhile; pass `earlier`, the collection as read before, to get a page then.
 */
export async function findPage(session: Session, request: PageRequest, earlier?: Collection) {
  const items = new PageItems(request.maxBytes);
  const ends: Ends = { hasMore: false };
  for (let { start } = request; ;) {
    const missing = request.size - items.all.length;
    const limit = Math.min(missing + 1, ROWS_AT_ONCE);
    const { sql, parameters } = pageStatement(session.dialect, { ...request, start }, limit);
    const rows = await session.rows(sql, parameters);
    const added = items.add(rows.slice(0, missing).map(toItem));
    ends.first ??= rows[0];
    ends.latest = rows[0];
    ends.last = rows[added - 1] ?? ends.last;
    ends.hasMore = added < rows.length;
    if (added < limit) return pageOf(session, request, ends, earlier, items);
    start = { total: 0, position: positionOf(ends.last!, request.sort) };
  }
}

/** `findPage` for HEAD, without items: usually the lengths of the texts prove that all fit, at a third of the cost. */
export async function findPageFacts(session: Session, request: PageRequest, earlier?: Collection) {
  const { size, sort, maxBytes } = request;
  if (size >= ROWS_AT_ONCE || !isByTime(sort)) return findPage(session, request, earlier);
  const { sql, parameters } = pageStatement(session.dialect, request, size + 1, MOST_BYTES);
  const rows = await session.rows(sql, parameters);
  const [first] = rows;
  const listed = rows.slice(0, size);
  const mostBytes = listed.reduce((sum, row) => sum + Number(row.most_bytes), 0);
  if (mostBytes > maxBytes) return findPage(session, request, earlier);
  return pageOf(session, request, { first, last: listed.at(-1), latest: first, hasMore: rows.length > size }, earlier);
}

/** The first and last row of a page, the first one of its last statement, and whether more follow. */
type Ends = { hasMore: boolean } & Partial<Record<'first' | 'last' | 'latest', Row>>;

async function pageOf(
  session: Session,
  request: PageRequest,
  { first, last, latest, hasMore }: Ends,
  earlier?: Collection,
  items?: PageItems,
): Promise<Page | undefined> {
  const { account, filters, sort, start } = request;
  const known = earlier ?? (first && collectionOf(first));
  // Without rows nothing is known, and the page may no longer be empty.
  const collection = known
    ? { ...known, purged_until: await purgedUntil(session, account, latest) }
    : await findCollectionWithout(session, account, pageConditions(request));
  if (!collection) return undefined;
  // Every row of a filtered first page carries the total; no rows means a total of 0.
  const counted = filters.length > 0 ? Number(first?.total ?? 0) : collection.live_count;
  const total = start?.total ?? counted;
  return { items, total, next: hasMore ? { total, position: positionOf(last!, sort) } : undefined, collection };
}

/** What was purged when the last rows were read; queried if there are none. */
const purgedUntil = async (session: Session, account: Buffer, latest?: Row): Promise<number> =>
  (latest ? collectionOf(latest) : await findCollection(session, account))?.purged_until ?? 0;

const positionOf = (row: Row, sort: readonly SortKey[]): PageStart['position'] =>
  sort.map(({ field }, at) => {
    const value = row[`k${at}`]!;
    return field === 'id' ? uuidText(value as Buffer) : (value as string | number | null);
  });

const [START, END] = ['{"items":[', ']}'] as const;

/** The items of a page, as many as fit, and their JSON. */
class PageItems {
  readonly all: Item[] = [];
  private readonly texts: string[] = [];
  private bytes = 0;

  /** @param maxBytes the most that the JSON of the items takes, unless there is only one */
  constructor(private readonly maxBytes: number) {}

  /** Adds items until one does not fit; returns how many were added. */
  add(items: readonly Item[]): number {
    const allFit = items.reduce((sum, item) => sum + mostBytesOf(item), this.bytes) <= this.maxBytes;
    for (let at = 0, size = allFit ? items.length : WRITTEN_AT_ONCE; at < items.length; at += size) {
      const some = items.slice(at, at + size);
      if (this.addText(some)) continue;
      const fitting = some.findIndex((item) => !this.addText([item]));
      if (fitting >= 0) return at + fitting;
    }
    return items.length;
  }

  private addText(items: readonly Item[]): boolean {
    const json = JSON.stringify({ items });
    const bytes = Buffer.byteLength(json) - START.length - END.length + 1;
    const isFirstItem = this.all.length === 0 && items.length === 1;
    if (!isFirstItem && this.bytes + bytes > this.maxBytes) return false;
    this.bytes += bytes;
    this.all.push(...items);
    this.texts.push(json);
    return true;
  }

  /** The response, which each of the texts is with some of the items. */
  get json(): string {
    if (this.texts.length === 1) return this.texts[0]!;
    return START + this.texts.map((json) => json.slice(START.length, -END.length)).join(',') + END;
  }
}
