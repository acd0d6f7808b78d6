import { Inject, Injectable } from '@nestjs/common';
import type { Collection } from '../accounts/account.row.js';
import { CollectionClock } from '../accounts/collection-clock.js';
import type { Caller } from '../auth/caller.js';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import { includesTombstones, parseCollectionQuery } from '../protocol/collection-query.js';
import { decodePageToken, encodePageToken } from '../protocol/page-token.js';
import { isNotModified, requireUnmodified, type Preconditions } from '../protocol/preconditions.js';
import { mustStartOver } from '../protocol/purge-horizon.js';
import type { Timestamp } from '../protocol/timestamp.js';
import type { Article, Tombstone } from './article.js';
import { findOutline, findPage, isOutlined, type Page } from './store/article-pages.store.js';
import { TooHeavy } from './store/article.row.js';
import { isScan, type PageRequest } from './store/page-statement.js';

/** Pages of more bytes are few at a time, so that they fit into memory however many are asked for. */
const HEAVY_BYTES = 262_144;
/** Articles that SQLite looks through in a few milliseconds. */
const QUICKLY_SCANNED = 500;

/** Nothing changed since the timestamp that the client named. */
export interface NotModified {
  notModified: true;
  last_modified: Timestamp;
}

/** A page of the collection; `nextToken` is absent on the last one. */
export interface Listing {
  notModified: false;
  items: (Article | Tombstone)[];
  total: number;
  last_modified: Timestamp;
  /** Deletions may be missing from the listing: the device has to start over. */
  mustStartOver: boolean;
  nextToken?: string;
}

/** Waits until so many bytes may be in memory for an answer. Rejects with 503 / 201 when that takes too long. */
export type Hold = (bytes: number) => Promise<void>;

/** What a first look at a listing shows; `page` is absent where it is left to a second one. */
interface Glance {
  collection: Collection;
  notModified?: boolean;
  page?: Page | TooHeavy;
}

/** Reads pages of a collection: small ones at once, those that take time or room when there is some. */
@Injectable()
export class ListingService {
  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly collections: CollectionClock,
  ) {}

  /** Throws 400 / 107 for a wrong query, 412 / 114. @param hold waits for the room that a heavy page takes */
  async list(
    caller: Caller,
    search: string,
    conditions: Preconditions,
    countOnly: boolean,
    hold: Hold,
  ): Promise<Listing | NotModified> {
    const { account } = caller;
    const { query, scope, start } = this.parse(account, search);
    const { pageSize, maxPageBytes } = this.settings;
    const size = Math.min(query.limit ?? pageSize, pageSize);
    const { filters, sort } = query;
    const request: PageRequest = { filters, sort, size, maxBytes: maxPageBytes, start, countOnly };
    const read = await this.database.onSession((session) => this.glance(session, account, request, conditions), caller);
    const { last_modified } = read.collection;
    if (read.notModified) return { notModified: true, last_modified };
    const page = await this.page(caller, request, read, hold);
    return {
      notModified: false,
      items: page.items,
      total: page.total,
      last_modified,
      mustStartOver: mustStartOver(filters, page.purged_until),
      nextToken: page.next && encodePageToken(scope, page.next),
    };
  }

  /** The timestamp of a collection that has not changed since the one that the client named. Throws like `list`. */
  async unchanged(caller: Caller, search: string, conditions: Preconditions): Promise<Timestamp | undefined> {
    this.parse(caller.account, search);
    const read = (session: Session) => this.collections.read(session, caller.account);
    const { last_modified } = await this.database.onSession(read, caller);
    requireUnmodified(conditions, last_modified);
    return isNotModified(conditions, last_modified) ? last_modified : undefined;
  }

  private parse(account: Buffer, search: string) {
    const query = parseCollectionQuery(search);
    const scope = { secret: this.settings.sessionSecret, account, query };
    return { query, scope, start: query.token === undefined ? undefined : decodePageToken(scope, query.token) };
  }

  /** The collection, and the page as well where it is small and quickly read. */
  private async glance(
    session: Session,
    account: Buffer,
    request: PageRequest,
    conditions: Preconditions,
  ): Promise<Glance> {
    const { indexHint } = this.database.dialect;
    const hasConditions = Object.values(conditions).some((condition) => condition !== undefined);
    const outline = !hasConditions && isOutlined(request) && (await findOutline(session, indexHint, account, request));
    if (outline) return outline;
    const collection = await this.collections.read(session, account);
    requireUnmodified(conditions, collection.last_modified);
    if (isNotModified(conditions, collection.last_modified)) return { collection, notModified: true };
    if (this.isApart(request, collection)) return { collection };
    return { collection, page: await findPage(session, indexHint, account, request, collection, HEAVY_BYTES) };
  }

  /** True when the page would keep the event loop from everybody else. */
  private isApart(request: PageRequest, { live_count }: Collection): boolean {
    if (!this.database.dialect.isLocal || !isScan(request)) return false;
    return live_count > QUICKLY_SCANNED || includesTombstones(request.filters);
  }

  /** A page that takes time, or room: for a heavy one the room is there before it is read. */
  private async page(
    caller: Caller,
    request: PageRequest,
    { collection, page: seen }: Glance,
    hold: Hold,
  ): Promise<Page> {
    const read = (heaviest: number) =>
      this.database.onSession(
        (session) => findPage(session, this.database.dialect.indexHint, caller.account, request, collection, heaviest),
        caller,
        isScan(request) ? 'scan' : 'read',
      );
    const page = seen ?? (await read(HEAVY_BYTES));
    if (!(page instanceof TooHeavy)) return page;
    await hold(page.bytes);
    return (await read(Infinity)) as Page;
  }
}
