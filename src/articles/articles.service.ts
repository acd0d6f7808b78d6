import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../auth/caller.js';
import { CLOCK, type Clock } from '../config/settings.module.js';
import { Database } from '../database/database.js';
import type { Session } from '../database/session.js';
import { committed, discarded } from '../database/outcome.js';
import { unavailable } from '../database/unavailable.js';
import { ApiError } from '../protocol/api-error.js';
import { type Filter, parseDeleteQuery } from '../protocol/collection-query.js';
import { isNotModified, requireUnmodified, type Preconditions } from '../protocol/preconditions.js';
import { isUuid } from '../protocol/query-values.js';
import type { ResponseBehavior } from '../protocol/response-behavior.js';
import type { Timestamp } from '../protocol/timestamp.js';
import {
  type Article,
  changedFields,
  newArticle,
  type NewArticle,
  patchArticle,
  patchResponse,
  type Tombstone,
} from './article.js';
import { KnownUrls } from './known-urls.js';
import type { Hold } from './listing.service.js';
import { HeavyArticle, TooHeavy, type Weight } from './store/article.row.js';
import * as store from './store/articles.store.js';
import { settleCollection } from '../accounts/accounts.store.js';
import { CollectionClock } from '../accounts/collection-clock.js';

/** The holder of a URL may be deleted between the failed insert and the lookup, but not over and over. */
const MAX_CREATE_TRIES = 5;
/** Articles that a bulk deletion deletes per transaction: some ten milliseconds. */
const REMOVED_AT_ONCE = 100;
/** Larger deletions have to reserve memory for their response first. */
const REMOVED_LIGHTLY = 2_000;
const TOMBSTONE_BYTES = 100;

/** The preconditions of a PATCH, and what its response contains. */
export interface PatchWish {
  conditions: Preconditions;
  behavior: ResponseBehavior;
}

/** Nothing has changed since the timestamp in `If-Modified-Since`. */
interface NotModified {
  notModified: true;
  last_modified: Timestamp;
}

export type Found = { notModified: false; article: Article } | NotModified;

/** One method per operation: begin a transaction, lock, load, apply the rules, save. */
@Injectable()
export class ArticlesService {
  private readonly known = new KnownUrls();

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly collections: CollectionClock,
  ) {}

  /** Throws 404 / 110 for an id that is not a UUID, 404 / 111, 412 / 114. */
  find(caller: Caller, id: string, conditions: Preconditions, hold: Hold): Promise<Found> {
    const key = requireUuid(id);
    const look = (weight: Weight) => async (session: Session) => {
      const article = await requireArticle(session, caller.account, key, weight);
      const { last_modified } = article;
      requireUnmodified(conditions, last_modified);
      if (isNotModified(conditions, last_modified)) return { notModified: true, last_modified } as const;
      return article instanceof HeavyArticle ? article : ({ notModified: false, article } as const);
    };
    return withRoom(hold, (weight) => this.database.onSession<Found | TooHeavy>(look(weight), caller));
  }

  /**
   * Stores a new article, or finds the live one that already holds its url or resolved_url.
   * Throws 400 / 108, 400 / 109, 412 / 114.
   */
  async create(
    caller: Caller,
    body: unknown,
    conditions: Preconditions,
    hold: Hold,
  ): Promise<{ created: boolean; article: Article }> {
    const { account } = caller;
    const draft = newArticle(body, randomUUID(), this.clock());
    await this.collections.requireUnmodified(caller, conditions);
    for (let tries = 0; tries < MAX_CREATE_TRIES; tries++) {
      const isLikely = tries > 0 || this.known.isLikely(account, draft.url);
      const look = (weight: Weight) => this.findHolder(caller, draft, weight);
      const holder = isLikely ? await withRoom(hold, look) : undefined;
      const article = holder ?? (await this.insert(caller, draft, conditions.ifUnmodifiedSince));
      if (!article) continue;
      const created = article.id === draft.id;
      this.known.note(account, draft.url, !created);
      return { created, article };
    }
    throw unavailable(new Error('the holder of the URL is deleted whenever it is looked for'));
  }

  private findHolder(caller: Caller, urls: Pick<Article, 'url' | 'resolved_url'>, weight: Weight) {
    return this.database.onSession((session) => store.findHolder(session, caller.account, urls, weight), caller);
  }

  /** The new article; undefined when its url or resolved_url is taken. */
  private async insert(caller: Caller, draft: NewArticle, ifUnmodifiedSince?: Timestamp): Promise<Article | undefined> {
    const { account } = caller;
    const { id, ...fields } = draft;
    try {
      return await this.collections.change(caller, { liveDelta: 1, ifUnmodifiedSince }, async (transaction, time) => {
        const article: Article = { id, last_modified: time, ...fields, stored_on: time };
        await store.insertArticle(transaction, account, article);
        return committed(article);
      });
    } catch (error) {
      if (this.database.dialect.classify(error) !== 'duplicate') throw error;
      return undefined;
    }
  }

  /**
   * Throws 404 / 110, 404 / 111, 412 / 114, 400 / 108, 400 / 109, 409 / 122. Returns the article or, depending on the
   * behavior, some of its fields.
   */
  async patch(
    caller: Caller,
    id: string,
    body: unknown,
    { conditions, behavior }: PatchWish,
    hold: Hold,
  ): Promise<Partial<Article>> {
    const { account } = caller;
    const key = requireUuid(id);
    let wanted: Pick<Article, 'url' | 'resolved_url'> | undefined;
    const modify = (weight: Weight) =>
      this.collections.change<Partial<Article> | TooHeavy>(
        caller,
        { liveDelta: 0 },
        async (transaction, last_modified) => {
          const stored = await requireArticle(transaction, account, key, weight);
          requireUnmodified(conditions, stored.last_modified);
          if (stored instanceof HeavyArticle) return discarded(stored);
          const patched = patchArticle(stored, body);
          if (patched === stored) return discarded(patchResponse(behavior, stored, stored, body));
          const article = { ...patched, last_modified };
          wanted = article;
          await store.updateArticle(transaction, account, article, changedFields(stored, article));
          const response = patchResponse(behavior, stored, article, body);
          return committed(response);
        },
      );
    try {
      return await withRoom(hold, modify);
    } catch (error) {
      if (!wanted || this.database.dialect.classify(error) !== 'duplicate') throw error;
      throw (await this.conflict(caller, wanted)) ?? unavailable(error);
    }
  }

  private async conflict(
    caller: Caller,
    { resolved_url }: Pick<Article, 'url' | 'resolved_url'>,
  ): Promise<ApiError | undefined> {
    const holder = await this.findHolder(caller, { url: '', resolved_url }, 'light');
    return holder && new ApiError('conflict', `resolved_url: already held by article ${holder.id}`);
  }

  /** Throws 404 / 110, 404 / 111, 412 / 114. */
  remove(caller: Caller, id: string, conditions: Preconditions): Promise<Tombstone> {
    const { account } = caller;
    const key = requireUuid(id);
    return this.collections.change(caller, { liveDelta: -1 }, async (transaction, last_modified) => {
      if (conditions.ifUnmodifiedSince !== undefined)
        requireUnmodified(conditions, (await requireArticle(transaction, account, key, 'light')).last_modified);
      const buried = await store.buryArticles(transaction, account, [key], last_modified);
      if (buried === 0) throw noSuchArticle();
      const tombstone: Tombstone = { id: key, last_modified, deleted: true };
      return committed(tombstone);
    });
  }

  /**
   * Deletes the live articles that match at the start and still match when their turn comes. Many are deleted in
   * several transactions, with pauses for other requests. Throws 400 / 107, 412 / 114.
   */
  async removeAll(caller: Caller, search: string, conditions: Preconditions, hold: Hold): Promise<Tombstone[]> {
    const filters = parseDeleteQuery(search);
    await this.collections.requireUnmodified(caller, conditions);
    const ids = await this.liveIds(caller, filters, hold);
    const tombstones: Tombstone[] = [];
    for (let start = 0; start < ids.length; start += REMOVED_AT_ONCE) {
      if (start > 0) await yieldToOthers();
      // The first transaction advances the timestamp that the condition refers to.
      const ifUnmodifiedSince = start === 0 ? conditions.ifUnmodifiedSince : undefined;
      const chunk = ids.slice(start, start + REMOVED_AT_ONCE);
      tombstones.push(...(await this.removeSome(caller, chunk, filters, ifUnmodifiedSince)));
    }
    return tombstones;
  }

  /** Ids of the live articles that match; many are read only once memory for the response is reserved. */
  private async liveIds(caller: Caller, filters: Filter[], hold: Hold): Promise<string[]> {
    const { account } = caller;
    const scan = <T>(work: (session: Session) => Promise<T>) => this.database.onSession(work, caller);
    const atMost = REMOVED_LIGHTLY + 1;
    const some = await scan((session) => store.findLiveIds(session, account, filters, { atMost }));
    if (some.length < atMost) return some;
    await hold(TOMBSTONE_BYTES * (await scan((session) => store.countLive(session, account, filters))));
    return scan((session) => store.findLiveIds(session, account, filters));
  }

  /** Deletes these articles in one transaction, except those that no longer match. */
  private async removeSome(
    caller: Caller,
    ids: string[],
    filters: Filter[],
    ifUnmodifiedSince?: Timestamp,
  ): Promise<Tombstone[]> {
    const tombstones = await this.bury(caller, filters, ifUnmodifiedSince, () => Promise.resolve(ids));
    if (tombstones) return tombstones;
    // At least one of them has changed in the meantime.
    const { account } = caller;
    const look = (session: Session) => store.findLiveIds(session, account, filters, { ids });
    return (await this.bury(caller, filters, ifUnmodifiedSince, look)) ?? [];
  }

  /** Undefined, with nothing deleted, when one of the articles does not match. */
  private bury(
    caller: Caller,
    filters: Filter[],
    ifUnmodifiedSince: Timestamp | undefined,
    choose: (session: Session) => Promise<string[]>,
  ): Promise<Tombstone[] | undefined> {
    const { account } = caller;
    return this.collections.change(caller, { liveDelta: 0, ifUnmodifiedSince }, async (transaction, first) => {
      const ids = await choose(transaction);
      if (ids.length === 0) return discarded([]);
      const buried = await store.buryArticles(transaction, account, ids, first, filters);
      if (buried < ids.length) return discarded(undefined);
      await settleCollection(transaction, account, first + ids.length - 1, ids.length);
      const tombstones = ids.map((id, at): Tombstone => ({ id, last_modified: first + at, deleted: true }));
      return committed<Tombstone[] | undefined>(tombstones);
    });
  }
}

/** Lets requests run that have been waiting. */
const yieldToOthers = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));

/** The id in lower case; throws 404 / 110. */
function requireUuid(id: string): string {
  if (!isUuid(id)) throw new ApiError('invalidId', 'id: not a UUID');
  return id.toLowerCase();
}

async function requireArticle(session: Session, account: Buffer, id: string, weight: Weight) {
  const article = await store.findArticle(session, account, id, weight);
  if (!article) throw noSuchArticle();
  return article;
}

/**
 * The result of a lookup without heavy excerpts or, if that is `TooHeavy`, of one with them once memory is reserved.
 */
async function withRoom<T>(hold: Hold, look: (weight: Weight) => Promise<T>): Promise<Exclude<T, TooHeavy>> {
  const seen = await look('light');
  if (!(seen instanceof TooHeavy)) return seen as Exclude<T, TooHeavy>;
  await hold(seen.bytes);
  return (await look('any')) as Exclude<T, TooHeavy>;
}

const noSuchArticle = (): ApiError => new ApiError('notFound', 'id: no such article');
