import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Collection } from '../accounts/account.row.js';
import { CollectionClock } from '../accounts/collection-clock.js';
import type { Caller } from '../auth/caller.js';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import { includesTombstones, parseCollectionQuery } from '../protocol/collection-query.js';
import { decodePageToken, encodePageToken } from '../protocol/page-token.js';
import { isNotModified, requireUnmodified, type Preconditions } from '../protocol/preconditions.js';
import { mustStartOver } from '../protocol/purge-horizon.js';
import type { Timestamp } from '../protocol/timestamp.js';
import type { Article, Tombstone } from './article.js';
import { findOutline, findPage, isOutlined, type Outline, type Page } from './store/article-pages.store.js';
import { TooHeavy } from './store/article.row.js';
import type { PageRequest } from './store/page-statement.js';

/** Larger pages are limited in number, so that they fit into memory however many are requested. */
const HEAVY_BYTES = 262_144;
/** A few megabytes, as long as no query is longer than this. */
const OUTLINES_REMEMBERED = 10_000;
const LONGEST_REMEMBERED = 200;
/** Nobody shows a count by more filters. */
const FILTERS_REMEMBERED = 8;

/** A page of the collection; `nextToken` is absent on the last page. */
export interface Listing {
  items: (Article | Tombstone)[];
  total: number;
  last_modified: Timestamp;
  /** The listing may lack deletions: the device has to start over. */
  mustStartOver: boolean;
  nextToken?: string;
}

/** Reserves memory for a response. Rejects with 503 / 201 when that takes too long. */
export type Hold = (bytes: number) => Promise<void>;

/** The result of the first read of a listing; `page` is absent when it takes a second read. */
interface FirstRead {
  collection: Collection;
  page?: Page | TooHeavy;
}

/** Reads pages of a collection: small ones immediately, slow or large ones when a thread or memory is free. */
@Injectable()
export class ListingService {
  /** By user and query: a device that shows a count asks for the same one again and again. */
  private readonly outlines = new LRUCache<string, Outline>({ max: OUTLINES_REMEMBERED });

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly collections: CollectionClock,
  ) {}

  /**
   * A page, whatever `If-Modified-Since` says. Throws 400 / 107 for a wrong query, 412 / 114.
   * @param hold reserves the memory that a heavy page takes
   */
  async list(
    caller: Caller,
    search: string,
    { ifUnmodifiedSince }: Preconditions,
    countOnly: boolean,
    hold: Hold,
  ): Promise<Listing> {
    const { account } = caller;
    const { query, scope, start } = this.parse(account, search);
    const { pageSize, maxPageBytes } = this.settings;
    const size = Math.min(query.limit ?? pageSize, pageSize);
    const { filters, sort } = query;
    const request: PageRequest = { filters, sort, size, maxBytes: maxPageBytes, start, countOnly };
    const read = await this.database.onSession(async (session) => {
      const mayOutline = ifUnmodifiedSince === undefined && filters.length <= FILTERS_REMEMBERED && isOutlined(request);
      const outline = mayOutline && (await this.outline(session, account, search, request));
      return outline || this.firstRead(session, account, request, ifUnmodifiedSince);
    }, caller);
    const { last_modified } = read.collection;
    const page = await this.page(caller, request, read, hold);
    return {
      items: page.items,
      total: page.total,
      last_modified,
      mustStartOver: mustStartOver(filters, page.purged_until),
      nextToken: page.next && encodePageToken(scope, page.next),
    };
  }

  /** The collection's timestamp if it has not changed since `If-Modified-Since`. Throws like `list`. */
  async unchanged(caller: Caller, search: string, conditions: Preconditions): Promise<Timestamp | undefined> {
    this.parse(caller.account, search);
    const { last_modified } = (await this.collections.latest(caller)) ?? (await this.firstContact(caller));
    requireUnmodified(conditions, last_modified);
    return isNotModified(conditions, last_modified) ? last_modified : undefined;
  }

  private firstContact(caller: Caller): Promise<Collection> {
    return this.database.onSession((session) => this.collections.read(session, caller.account), caller);
  }

  private parse(account: Buffer, search: string) {
    const query = parseCollectionQuery(search);
    const scope = { secret: this.settings.sessionSecret, account, query };
    return { query, scope, start: query.token === undefined ? undefined : decodePageToken(scope, query.token) };
  }

  /** The collection and the outline of a page: the last one, if nothing has changed since. Undefined as in `findOutline`. */
  private async outline(
    session: Session,
    account: Buffer,
    search: string,
    request: PageRequest,
  ): Promise<FirstRead | undefined> {
    const key = account.toString('latin1') + search;
    const known = this.outlines.get(key);
    if (known) {
      const { last_modified, live_count } = await this.collections.read(session, account);
      // `doctor` mends the number alone.
      const isCurrent = last_modified === known.collection.last_modified && live_count === known.collection.live_count;
      if (isCurrent) return known;
    }
    const outline = await findOutline(session, this.database.dialect.indexHint, account, request);
    // A purge takes tombstones away without a new timestamp.
    const isRemembered = search.length <= LONGEST_REMEMBERED && !includesTombstones(request.filters);
    if (outline && isRemembered) this.outlines.set(key, outline);
    return outline;
  }

  /** The collection, together with the page if that is small and quick to read. */
  private async firstRead(
    session: Session,
    account: Buffer,
    request: PageRequest,
    ifUnmodifiedSince?: Timestamp,
  ): Promise<FirstRead> {
    const { indexHint } = this.database.dialect;
    const collection = await this.collections.read(session, account);
    requireUnmodified({ ifUnmodifiedSince }, collection.last_modified);
    return { collection, page: await findPage(session, indexHint, account, request, collection, HEAVY_BYTES) };
  }

  /** The page, read now unless the first read had it; a heavy one only after memory is reserved. */
  private async page(
    caller: Caller,
    request: PageRequest,
    { collection, page: seen }: FirstRead,
    hold: Hold,
  ): Promise<Page> {
    const read = (heaviest: number) =>
      this.database.onSession(
        (session) => findPage(session, this.database.dialect.indexHint, caller.account, request, collection, heaviest),
        caller,
      );
    const page = seen ?? (await read(HEAVY_BYTES));
    if (!(page instanceof TooHeavy)) return page;
    await hold(page.bytes);
    return (await read(Infinity)) as Page;
  }
}
