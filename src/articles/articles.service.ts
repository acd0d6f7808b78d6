import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { settleCollection } from '../accounts/accounts.store.js';
import { CollectionClock } from '../accounts/collection-clock.js';
import { isTimestampTaken, type Quota } from '../accounts/tick.js';
import type { Caller } from '../auth/caller.js';
import { NOW, type Now } from '../config/now.js';
import { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { committed, discarded, type Session } from '../database/session.js';
import { ApiError, quotaReached } from '../protocol/api-error.js';
import { type Filter, parseDeleteQuery } from '../protocol/collection-query.js';
import { requireUnmodified, type Preconditions, type ResponseBehavior } from '../protocol/request-headers.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { isUuid } from '../protocol/uuid.js';
import { type Article, changedFields, newArticle, patchArticle, patchResponse, type Tombstone } from './article.js';
import * as store from './store/articles.store.js';

/** Articles that a bulk deletion deletes per transaction: some ten milliseconds. */
const REMOVED_AT_ONCE = 100;

const MAX_REPEATERS = 10_000;

type Created = { created: boolean; article: Article };

/** One method per operation: begin a transaction, lock, load, apply the rules, save. */
@Injectable()
export class ArticlesService {
  /** Users whose latest POST found the article already there. */
  private readonly repeaters = new LRUCache<string, true>({ max: MAX_REPEATERS });

  constructor(
    private readonly database: Database,
    @Inject(NOW) private readonly now: Now,
    private readonly collections: CollectionClock,
    private readonly settings: Settings,
  ) {}

  /** Throws 404 / 110 for an id that is not a UUID, 404 / 111, 412 / 114. */
  find(caller: Caller, id: string, conditions: Preconditions): Promise<Article> {
    const key = requireUuid(id);
    return this.database.onSession((session) => requireArticle(session, caller.account, key, conditions), caller);
  }

  /** Stores an article, or finds the live one with its URL. Throws 400 / 108 and 109, 412 / 114, 403 / 121 if full. */
  async create(caller: Caller, body: unknown, conditions: Preconditions): Promise<Created> {
    const { account } = caller;
    const { id, ...fields } = newArticle(body, randomUUID(), this.now());
    if (conditions.ifUnmodifiedSince !== undefined)
      requireUnmodified(conditions, (await this.collections.current(caller)).last_modified);
    const known = await this.findEarly(caller, fields.url, conditions);
    if (known) return { created: false, article: known };
    const change = { liveDelta: 1, ifUnmodifiedSince: conditions.ifUnmodifiedSince };
    const add = async (transaction: Session, time: Timestamp) => {
      const article: Article = { id, last_modified: time, ...fields, stored_on: time };
      const earlier = transaction.looksFirst ? await store.findByUrls(transaction, account, article) : undefined;
      if (earlier) return discarded<Created>({ created: false, article: earlier });
      if (await isStored(transaction, store.insertArticle(transaction, account, article)))
        return committed<Created>({ created: true, article });
      // While the account is locked, nobody can delete it.
      return discarded<Created>({ created: false, article: (await store.findByUrls(transaction, account, article))! });
    };
    const result = await this.collections.change(caller, change, add, this.quota(account, fields));
    if (result.created) this.repeaters.delete(caller.key);
    else this.repeaters.set(caller.key, true);
    return result;
  }

  /**
   * Looks for the URL first where that pays: in a file, where a transaction waits for others, and for users whose last URL
   * was known. The unique keys decide in any case. For speed alone: docs/adr/0013.
   */
  private async findEarly(caller: Caller, url: string, conditions: Preconditions): Promise<Article | undefined> {
    const isLikely = this.database.dialect.isLocal || this.repeaters.has(caller.key);
    if (!isLikely || caller.shared || conditions.ifUnmodifiedSince !== undefined) return undefined;
    return this.database.onSession((session) => store.findByUrl(session, caller.account, url), caller);
  }

  /** A full collection still returns the article of a known URL. */
  private quota(account: Buffer, urls: store.Urls): Quota<Created> | undefined {
    const { maxArticlesPerUser } = this.settings;
    if (maxArticlesPerUser === 0) return undefined;
    const whenFull = async (transaction: Session) => {
      const known = await store.findByUrls(transaction, account, urls);
      if (!known) throw quotaReached(maxArticlesPerUser);
      return { created: false, article: known };
    };
    return { maxLive: maxArticlesPerUser, whenFull };
  }

  /** As much of the article as the behavior says. Throws 404 / 110 and 111, 412 / 114, 400 / 108 and 109, 409 / 122. */
  patch(caller: Caller, id: string, body: unknown, conditions: Preconditions, behavior: ResponseBehavior) {
    const { account } = caller;
    const key = requireUuid(id);
    return this.collections.change(caller, { liveDelta: 0 }, async (transaction, last_modified) => {
      const stored = await requireArticle(transaction, account, key, conditions);
      const patched = patchArticle(stored, body);
      if (patched === stored) return discarded(patchResponse(behavior, stored, stored, body));
      const article = { ...patched, last_modified };
      const fields = changedFields(stored, article);
      const mustLook = transaction.looksFirst && fields.includes('resolved_url');
      if (mustLook && (await store.isTaken(transaction, account, article)))
        throw await conflict(transaction, account, article);
      const update = store.updateArticle(transaction, account, article, fields);
      if (!(await isStored(transaction, update))) throw await conflict(transaction, account, article);
      return committed(patchResponse(behavior, stored, article, body));
    });
  }

  /** Throws 404 / 110, 404 / 111, 412 / 114. */
  remove(caller: Caller, id: string, conditions: Preconditions): Promise<Tombstone> {
    const { account } = caller;
    const key = requireUuid(id);
    return this.collections.change(caller, { liveDelta: -1 }, async (transaction, last_modified) => {
      if (conditions.ifUnmodifiedSince !== undefined) await requireArticle(transaction, account, key, conditions);
      const buried = await store.buryArticles(transaction, account, [key], last_modified);
      if (buried === 0) throw noSuchArticle();
      return committed<Tombstone>({ id: key, last_modified, deleted: true });
    });
  }

  /**
   * Deletes the live articles that match at the start and still match when they are locked, many of them in several
   * transactions, each with the time of a request. Throws 400 / 107, 412 / 114.
   * @param expect called with the most articles that there may be, before they are read
   */
  async removeAll(caller: Caller, search: string, conditions: Preconditions, expect: (count: number) => Promise<void>) {
    const { account } = caller;
    const filters = parseDeleteQuery(search);
    const { last_modified, live_count } = await this.collections.current(caller);
    requireUnmodified(conditions, last_modified);
    await expect(live_count);
    const ids = await this.database.onSession((session) => store.findLiveIds(session, account, filters), caller);
    const tombstones: Tombstone[] = [];
    for (let start = 0; start < ids.length; start += REMOVED_AT_ONCE) {
      // Requests that have been waiting go first.
      if (start > 0) await sleep(1);
      // The first transaction advances the timestamp that the condition refers to.
      const ifUnmodifiedSince = start === 0 ? conditions.ifUnmodifiedSince : undefined;
      const chunk = ids.slice(start, start + REMOVED_AT_ONCE);
      tombstones.push(...(await this.removeSome(caller, chunk, filters, ifUnmodifiedSince)));
      caller.deadline = undefined;
    }
    return tombstones;
  }

  private removeSome(caller: Caller, ids: string[], filters: Filter[], ifUnmodifiedSince?: Timestamp) {
    const { account } = caller;
    return this.collections.change(caller, { liveDelta: 0, ifUnmodifiedSince }, async (transaction, first) => {
      const matching = await store.findLiveIds(transaction, account, filters, ids);
      if (matching.length === 0) return discarded<Tombstone[]>([]);
      await store.buryArticles(transaction, account, matching, first);
      const last = first + matching.length - 1;
      await settleCollection(transaction, account, last, -matching.length);
      const tombstones = matching.map((id, at): Tombstone => ({ id, last_modified: first + at, deleted: true }));
      return { ...committed(tombstones), last };
    });
  }
}

function requireUuid(id: string): string {
  if (!isUuid(id)) throw new ApiError('invalidId', 'id: not a UUID');
  return id.toLowerCase();
}

/** False when another article has the URL; the transaction remains usable. */
async function isStored(transaction: Session, write: Promise<void>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (transaction.dialect.classify(error) !== 'duplicate' || isTimestampTaken(transaction, error)) throw error;
    return false;
  }
}

async function requireArticle(session: Session, account: Buffer, id: string, conditions: Preconditions) {
  const article = await store.findArticle(session, account, id);
  if (!article) throw noSuchArticle();
  requireUnmodified(conditions, article.last_modified);
  return article;
}

/** 409 / 122 that names the article with the URL, which nobody can delete while the account is locked. */
async function conflict(session: Session, account: Buffer, { resolved_url }: Article): Promise<ApiError> {
  const other = (await store.findByUrls(session, account, { url: '', resolved_url }))!;
  return new ApiError('conflict', `resolved_url: article ${other.id} already has it`);
}

const noSuchArticle = (): ApiError => new ApiError('notFound', 'id: no such article');
