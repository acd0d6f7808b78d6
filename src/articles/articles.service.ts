import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../auth/account.js';
import { CLOCK, type Clock, SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';
import { DATABASE } from '../database/database.module.js';
import type { Session } from '../database/session.js';
import { unavailable } from '../database/unavailable.js';
import { ApiError } from '../protocol/api-error.js';
import { parseCollectionQuery, parseDeleteQuery } from '../protocol/collection-query.js';
import { decodePageToken, encodePageToken } from '../protocol/page-token.js';
import { isNotModified, requireUnmodified, type Preconditions } from '../protocol/preconditions.js';
import { mustStartOver } from '../protocol/purge-horizon.js';
import { isUuid } from '../protocol/query-values.js';
import type { ResponseBehavior } from '../protocol/response-behavior.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { type Article, changedFields, newArticle, patchArticle, patchResponse, type Tombstone } from './article.js';
import { findPage } from './article-pages.store.js';
import * as store from './articles.store.js';
import { CollectionClock } from './collection-clock.js';

/** The holder of a URL may be deleted between the failed insert and the look at it; not time and again. */
const MAX_CREATE_TRIES = 5;

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

export type Found = { notModified: false; article: Article } | NotModified;

/** One method for each operation on articles: transaction, lock, load, rule, save. */
@Injectable()
export class ArticlesService {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CollectionClock) private readonly collections: CollectionClock,
  ) {}

  /** Throws 400 / 107 for a wrong query, 412 / 114. */
  list(caller: Caller, search: string, conditions: Preconditions, countOnly: boolean): Promise<Listing | NotModified> {
    const { account } = caller;
    const query = parseCollectionQuery(search);
    const scope = { secret: this.settings.sessionSecret, account, query };
    const position = query.token === undefined ? undefined : decodePageToken(scope, query.token);
    const size = Math.min(query.limit ?? this.settings.pageSize, this.settings.pageSize);
    return this.database.read(async (session) => {
      const collection = await this.collections.read(session, account);
      const { last_modified } = collection;
      requireUnmodified(conditions, last_modified);
      if (isNotModified(conditions, last_modified)) return { notModified: true, last_modified };
      const hint = this.database.dialect.indexHint;
      const request = { filters: query.filters, sort: query.sort, size, position, countOnly };
      const { items, total, next, purged_until } = await findPage(session, hint, account, request, collection);
      const nextToken = next && encodePageToken(scope, next);
      const startOver = mustStartOver(query.filters, purged_until);
      return { notModified: false, items, total, last_modified, mustStartOver: startOver, nextToken };
    }, caller);
  }

  /** Throws 404 / 110 for an id that is no UUID, 404 / 111, 412 / 114. */
  find(caller: Caller, id: string, conditions: Preconditions): Promise<Found> {
    const key = requireUuid(id);
    return this.database.read(async (session) => {
      const article = await requireArticle(session, caller.account, key);
      requireUnmodified(conditions, article.last_modified);
      return isNotModified(conditions, article.last_modified)
        ? { notModified: true, last_modified: article.last_modified }
        : { notModified: false, article };
    }, caller);
  }

  /**
   * Stores a new article, or finds the live one that already holds its url or resolved_url.
   * Throws 400 / 108, 400 / 109, 412 / 114.
   */
  async create(
    caller: Caller,
    body: unknown,
    conditions: Preconditions,
  ): Promise<{ created: boolean; article: Article }> {
    const now = this.clock();
    const draft = newArticle(body, randomUUID(), now);
    await this.collections.requireUnmodified(caller, conditions);
    for (let tries = 1; ; tries++) {
      try {
        return await this.insert(caller, draft, conditions.ifUnmodifiedSince);
      } catch (error) {
        if (this.database.dialect.classify(error) !== 'duplicate') throw error;
        const article = await this.findHolder(caller, draft);
        if (article) return { created: article.id === draft.id, article };
        if (tries === MAX_CREATE_TRIES) throw unavailable(error);
      }
    }
  }

  private findHolder(caller: Caller, urls: Pick<Article, 'url' | 'resolved_url'>): Promise<Article | undefined> {
    return this.database.read((session) => store.findHolder(session, caller.account, urls), caller);
  }

  private insert(caller: Caller, draft: ReturnType<typeof newArticle>, ifUnmodifiedSince?: Timestamp) {
    const { account } = caller;
    return this.database.write(async (transaction) => {
      const last_modified = await this.collections.tick(transaction, account, 1, ifUnmodifiedSince);
      const { id, ...fields } = draft;
      const article: Article = { id, last_modified, ...fields };
      transaction.witness = store.versionQuery(account, id, last_modified);
      await store.insertArticle(transaction, account, article);
      return { created: true, article };
    }, caller);
  }

  /**
   * Throws 404 / 110, 404 / 111, 412 / 114, 400 / 108, 400 / 109, 409 / 122. The answer is a record or, as the behaviour asks,
   * some of its fields.
   */
  async patch(
    caller: Caller,
    id: string,
    body: unknown,
    conditions: Preconditions,
    behavior: ResponseBehavior,
  ): Promise<Partial<Article>> {
    const { account } = caller;
    const key = requireUuid(id);
    let wanted: Pick<Article, 'url' | 'resolved_url'> | undefined;
    try {
      return await this.database.write(async (transaction) => {
        const last_modified = await this.collections.tick(transaction, account, 0);
        const stored = await requireArticle(transaction, account, key);
        requireUnmodified(conditions, stored.last_modified);
        const patched = patchArticle(stored, body);
        transaction.abandoned = patched === stored;
        if (transaction.abandoned) return patchResponse(behavior, stored, stored, body);
        const article = { ...patched, last_modified };
        wanted = article;
        transaction.witness = store.versionQuery(account, key, last_modified);
        await store.updateArticle(transaction, account, article, changedFields(stored, article));
        return patchResponse(behavior, stored, article, body);
      }, caller);
    } catch (error) {
      if (!wanted || this.database.dialect.classify(error) !== 'duplicate') throw error;
      throw (await this.conflict(caller, wanted)) ?? unavailable(error);
    }
  }

  private async conflict(
    caller: Caller,
    { resolved_url }: Pick<Article, 'url' | 'resolved_url'>,
  ): Promise<ApiError | undefined> {
    const holder = await this.findHolder(caller, { url: '', resolved_url });
    return holder && new ApiError('conflict', `resolved_url: already held by article ${holder.id}`);
  }

  /** Throws 404 / 110, 404 / 111, 412 / 114. */
  remove(caller: Caller, id: string, conditions: Preconditions): Promise<Tombstone> {
    const { account } = caller;
    const key = requireUuid(id);
    return this.database.write(async (transaction) => {
      const last_modified = await this.collections.tick(transaction, account, -1);
      if (conditions.ifUnmodifiedSince !== undefined)
        requireUnmodified(conditions, (await requireArticle(transaction, account, key)).last_modified);
      transaction.witness = store.versionQuery(account, key, last_modified);
      const buried = await store.buryArticles(transaction, account, [key], last_modified);
      if (buried === 0) throw noSuchArticle();
      return { id: key, last_modified, deleted: true };
    }, caller);
  }

  /** Deletes the live articles that match. Throws 400 / 107, 412 / 114. */
  async removeAll(caller: Caller, search: string, conditions: Preconditions): Promise<Tombstone[]> {
    const { account } = caller;
    const filters = parseDeleteQuery(search);
    await this.collections.requireUnmodified(caller, conditions);
    return this.database.write(async (transaction) => {
      const first = await this.collections.tick(transaction, account, 0, conditions.ifUnmodifiedSince);
      const ids = await store.findLiveIds(transaction, account, filters);
      transaction.abandoned = ids.length === 0;
      if (transaction.abandoned) return [];
      transaction.witness = store.versionQuery(account, ids[0]!, first);
      await store.buryArticles(transaction, account, ids, first);
      await store.settleCollection(transaction, account, first + ids.length - 1, ids.length);
      return ids.map((id, at) => ({ id, last_modified: first + at, deleted: true }));
    }, caller);
  }
}

/** The id in lower case; throws 404 / 110. */
function requireUuid(id: string): string {
  if (!isUuid(id)) throw new ApiError('invalidId', 'id: not a UUID');
  return id.toLowerCase();
}

async function requireArticle(session: Session, account: Buffer, id: string): Promise<Article> {
  const item = await store.findItem(session, account, id);
  if (!item || 'deleted' in item) throw noSuchArticle();
  return item;
}

const noSuchArticle = (): ApiError => new ApiError('notFound', 'id: no such article');
