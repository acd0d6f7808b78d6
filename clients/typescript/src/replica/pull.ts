import { type Article, isTombstone, type Tombstone } from '../article.js';
import { ReadingListError } from '../errors.js';
import type { ListQuery, Page, PageOptions } from '../wire/client.js';
import type { Entry } from './entry.js';
import { merge, mergeDeletion, adopt } from './merge.js';
import type { Mirror, Transaction } from './mirror.js';
import { put, type Sync } from './push.js';
import { idOf, readRecord } from './record.js';
import type { Walk } from './state.js';

/**
 * The query and precondition for the changes since the cursor. Without filters, because a device needs every change.
 */
export function deltaOf(cursor: number): { query: ListQuery; options: PageOptions } {
  return { query: { _since: cursor }, options: { ifModifiedSince: cursor } };
}

/**
 * Fetches changes page by page, each durable before the next one; resumes an interrupted listing.
 * @param first the first page, if a waiting poll has already fetched it for this cursor
 */
export async function pull(sync: Sync, first?: { cursor: number; page: Page }): Promise<void> {
  const { mirror } = sync;
  const { walk, cursor } = mirror.state;
  if (walk && (await resume(sync, walk))) return;
  if (cursor === undefined) return walkThrough(sync);
  const { query, options } = deltaOf(cursor);
  const page = first?.cursor === cursor ? first.page : await sync.client.page(query, { ...options, ...sync.call });
  const current = lastModifiedOf(page);
  // The collection's timestamp went back: it was restored from a backup, and deltas are useless.
  if (page.startOver || current < cursor) return walkThrough(sync);
  if (page.notModified) return;
  await follow(sync, page, { cursor: current });
}

/** Completes an interrupted listing; false if the service no longer accepts its token. */
async function resume(sync: Sync, walk: Walk): Promise<boolean> {
  try {
    const page = await sync.client.page(walk.next, sync.call);
    if (page.startOver) await walkThrough(sync);
    else await follow(sync, page, walk);
    return true;
  } catch (error) {
    if (!(error instanceof ReadingListError) || error.errno !== 107) throw error;
    await sync.mirror.mutate(
      () => [],
      (transaction) => {
        transaction.state = { ...transaction.state, walk: undefined };
      },
    );
    return false;
  }
}

/**
 * Lists the whole collection and deletes entries that are not in it, except unsent ones. In order of change, so that a
 * record that changes during the listing moves to the end and cannot be missed.
 */
async function walkThrough(sync: Sync): Promise<void> {
  const full = (sync.mirror.state.walks ?? 0) + 1;
  const page = await sync.client.page({ _sort: 'last_modified' }, sync.call);
  await follow(sync, page, { cursor: lastModifiedOf(page), full });
}

async function follow(sync: Sync, first: Page, { cursor, full }: Walk): Promise<void> {
  for (let page = first; ;) {
    const { items, next } = page;
    if (page.startOver && full === undefined) return walkThrough(sync);
    const isLatest = await takePage(sync, items, { cursor, next, full });
    if (!isLatest || next === undefined) return;
    page = await sync.client.page(next, sync.call);
    // Something on the way drops queries.
    if (JSON.stringify(page.items) === JSON.stringify(items))
      throw new ReadingListError('protocol', 'the listing does not end');
  }
}

/**
 * Takes the records of a page, durably. What is not a record is set aside and reported, so that the others arrive. False
 * if another tab, where there are no locks, has begun to list everything since: only the latest listing may delete.
 */
async function takePage(sync: Sync, page: readonly unknown[], walk: Walk): Promise<boolean> {
  const { mirror } = sync;
  const { cursor, next, full } = walk;
  const items: Page['items'] = [];
  const odd: { error: ReadingListError; id: string | undefined }[] = [];
  for (const value of page) {
    const record = readRecord(value);
    if (record instanceof ReadingListError) odd.push({ error: record, id: idOf(value) });
    else items.push(record);
  }
  const oddKeys = odd.flatMap(({ id = '' }) => mirror.keyOfId(id) ?? []);
  const drafts = draftsByUrl(mirror);
  const keys = new Map(items.map((item) => [item.id, keyOf(mirror, drafts, item)]));
  let isLatest = true;
  const unseen = next === undefined && full !== undefined ? unseenKeys(mirror, full) : [];
  sync.pulled += await mirror.mutate(
    () => [...keys.keys(), ...keys.values(), ...oddKeys, ...unseen],
    (transaction) => {
      isLatest = full === undefined || (transaction.state.walks ?? 0) <= full;
      if (!isLatest) return 0;
      transaction.state = { ...transaction.state, walk, walks: full ?? transaction.state.walks };
      let count = 0;
      // What is known of it stays as it was.
      for (const key of oddKeys) {
        const entry = transaction.get(key);
        if (entry) put(transaction, entry, { entry });
      }
      for (const item of items) if (takeItem(transaction, keys.get(item.id)!, item)) count++;
      for (const key of unseen) {
        const entry = transaction.get(key);
        if (entry?.base && entry.seen !== full && ++count) put(transaction, entry, mergeDeletion(entry));
      }
      if (next === undefined) transaction.state = { ...transaction.state, cursor, walk: undefined };
      return count;
    },
  );
  for (const { error, id } of odd) sync.tellOdd(error, id);
  return isLatest;
}

const unseenKeys = (mirror: Mirror, full: number): string[] =>
  [...mirror.all()].filter(({ base, seen }) => base && seen !== full).map(({ key }) => key);

/**
 * Keys of drafts, by URL, that the server may have without this device knowing their ids; of several with the same URL,
 * that of the earliest, which was sent and removed.
 */
function draftsByUrl(mirror: Mirror): Map<string, string> {
  const keys = new Map<string, string>();
  for (const { key, draft, sent, removal } of mirror.pending().reverse())
    if (draft && (!removal || sent)) keys.set(`resolved ${draft.resolved_url}`, key).set(draft.url, key);
  return keys;
}

/** The key of the entry for a record: found by id, by the URL of a draft, or new. */
function keyOf(mirror: Mirror, drafts: Map<string, string>, item: Article | Tombstone): string {
  const known = mirror.keyOfId(item.id);
  if (known !== undefined || isTombstone(item)) return known ?? item.id;
  return drafts.get(item.url) ?? drafts.get(`resolved ${item.resolved_url}`) ?? item.id;
}

/** Applies an item; returns whether it was new. */
function takeItem(transaction: Transaction, key: string, item: Article | Tombstone): boolean {
  const entry = transaction.get(key);
  if (isTombstone(item)) {
    if (!entry || entry.base?.id !== item.id) return false;
    put(transaction, entry, mergeDeletion(entry));
    return true;
  }
  const fresh: Entry = { key: item.id, base: item };
  // Two records may match the same draft, but only the first can adopt it.
  if (!entry || (entry.base && entry.base.id !== item.id)) {
    put(transaction, fresh, { entry: fresh });
    return true;
  }
  if (entry.draft) {
    const outcome = adopt(entry, item);
    put(transaction, entry, outcome);
    // The user removed what they had added here; the record of the other device stays.
    if (!outcome.entry) put(transaction, fresh, { entry: fresh });
    return true;
  }
  const { last_modified } = entry.base!;
  // The response to this device's own change may be newer than this page. A full listing always counts.
  if (transaction.state.walk!.full === undefined && last_modified >= item.last_modified) return false;
  put(transaction, entry, merge(entry, item));
  return last_modified !== item.last_modified;
}

function lastModifiedOf({ lastModified }: Page): number {
  if (lastModified === undefined) throw new ReadingListError('protocol', 'the response has no Last-Modified');
  return lastModified;
}
