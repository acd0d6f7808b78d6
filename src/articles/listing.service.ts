import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Collection, findCollection } from '../accounts/accounts.store.js';
import { CollectionClock } from '../accounts/collection-clock.js';
import type { Caller } from '../auth/caller.js';
import { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import { type Filter, includesTombstones, mustStartOver, parseCollectionQuery } from '../protocol/collection-query.js';
import { decodePageToken, encodePageToken } from '../protocol/page-token.js';
import { isNotModified, requireUnmodified, type Preconditions } from '../protocol/request-headers.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { findPage, findPageFacts, type Page } from './store/article-pages.store.js';
import type { PageRequest } from './store/conditions.js';

const MAX_COUNTS = 10_000;
/** Of a query and of the position where its page ends, which may hold long texts. */
const MAX_CHARACTERS = 200;
const STATE = ['last_modified', 'live_count', 'purged_until'] as const;

/** Reads pages of a collection. */
@Injectable()
export class ListingService {
  private readonly counts = new KnownCounts();

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    private readonly collections: CollectionClock,
  ) {}

  /** A page, or only facts about it; the last one has no `nextToken`. Throws 400 / 107 for a wrong query, 412 / 114. */
  async list(caller: Caller, search: string, conditions: Preconditions, factsOnly: boolean) {
    const request = this.parse(caller.account, search);
    const read = (session: Session) =>
      factsOnly ? this.count(session, caller, search, request) : this.page(session, caller, request, findPage);
    const { items, total, next, collection } = await this.database.onSession(read, caller);
    const { last_modified, purged_until } = collection;
    requireUnmodified(conditions, last_modified);
    const nextToken = next && encodePageToken({ ...request, secret: this.settings.sessionSecret }, next);
    return { items, total, last_modified, mustStartOver: mustStartOver(request.filters, purged_until), nextToken };
  }

  /** The page without its items, from memory if nothing has changed since it was read. */
  private async count(session: Session, caller: Caller, search: string, request: PageRequest): Promise<Page> {
    const { account, key, shared } = caller;
    const known = shared ? undefined : await this.counts.recall(key, search, () => findCollection(session, account));
    if (known) return known;
    const page = await this.page(session, caller, request, findPageFacts);
    if (!shared) this.counts.remember(key, search, request.filters, page);
    return page;
  }

  private async page(session: Session, caller: Caller, request: PageRequest, find: typeof findPage): Promise<Page> {
    const page = await find(session, request, caller.shared?.collection);
    return page ?? (await find(session, request, await this.collections.read(session, caller)))!;
  }

  /** The collection's timestamp if it has not changed since `If-Modified-Since`. Throws like `list`. */
  async unchanged(caller: Caller, search: string, conditions: Preconditions): Promise<Timestamp | undefined> {
    this.parse(caller.account, search);
    const latest = (await this.collections.latest(caller)) ?? (await this.collections.current(caller)).last_modified;
    requireUnmodified(conditions, latest);
    return isNotModified(conditions, latest) ? latest : undefined;
  }

  private parse(account: Buffer, search: string): PageRequest {
    const { sessionSecret: secret, pageSize, maxPageBytes: maxBytes } = this.settings;
    const { filters, sort, limit = pageSize, token } = parseCollectionQuery(search);
    const start = token === undefined ? undefined : decodePageToken({ secret, account, filters, sort }, token);
    return { account, filters, sort, size: Math.min(limit, pageSize), maxBytes, start };
  }
}

/** What HEAD requests found, which holds while the collection is unchanged. For speed alone: docs/adr/0013. */
export class KnownCounts {
  private readonly pages = new LRUCache<string, Page>({ max: MAX_COUNTS });

  /** A purge removes tombstones without a new timestamp, so a count that includes them is not remembered. */
  remember(user: string, search: string, filters: readonly Filter[], page: Page): void {
    const isShort = search.length + JSON.stringify(page.next ?? '').length <= MAX_CHARACTERS;
    if (isShort && !includesTombstones(filters)) this.pages.set(cacheKey(user, search), page);
  }

  /** @param read reads the collection as it is now; not called where nothing is known */
  async recall(user: string, search: string, read: () => Promise<Collection | undefined>): Promise<Page | undefined> {
    const known = this.pages.get(cacheKey(user, search));
    if (!known) return undefined;
    const now = await read();
    return STATE.every((member) => now?.[member] === known.collection[member]) ? known : undefined;
  }
}

const cacheKey = (user: string, search: string): string => `${user}?${search}`;
