import type { Article, ArticlePatch, NewArticle, Tombstone } from '../article.js';
import { ReadingListError } from '../errors.js';
import type { components } from '../openapi.js';
import { type BatchResponse, type BatchRequest, sendInChunks, type Slot } from './batch.js';
import { readGrantedWait, readInteger } from './headers.js';
import { type CallOptions, type Message, type Result, Transport, type TransportOptions } from './transport.js';

export type Service = components['schemas']['Service'];

/** Parameters of a listing by their wire names: `unread`, `min_word_count`, `_since`, `_sort`, `_limit`. */
export type ListQuery = Record<string, string | number | boolean>;

/** One page of a listing, with the values of its headers. */
export interface Page {
  items: (Article | Tombstone)[];
  /** Nothing changed since `ifModifiedSince`; there are no items. */
  notModified: boolean;
  /** The collection's timestamp. */
  lastModified: number | undefined;
  totalRecords: number | undefined;
  /** The query of the next page; undefined on the last one. */
  next: string | undefined;
  /** The listing may lack deletions: list the whole collection instead. */
  startOver: boolean;
  /** The seconds for which the service held the request, or would have; undefined if it does not support waiting. */
  grantedWaitSeconds: number | undefined;
}

export interface PageOptions extends CallOptions {
  ifModifiedSince?: number | undefined;
  /** How long the service may hold a request whose response would be 304, in seconds. */
  waitSeconds?: number | undefined;
}

export interface WriteOptions extends CallOptions {
  ifUnmodifiedSince?: number | undefined;
}

export interface ClientOptions extends TransportOptions {
  /** An `http:` or `https:` URL, with or without `/v2`; without credentials, query or fragment. */
  baseUrl: string;
}

/** The HTTP client of the service. Methods only reject with a ReadingListError. */
export class Client {
  /** The URL of the service, without `/v2`. */
  readonly baseUrl: string;
  /**
   * False for Basic authentication, for which the service accepts no batches, and once it has rejected one for that
   * reason.
   */
  canBatch: boolean;
  /** @internal */
  readonly transport: Transport;

  /** @throws TypeError when `baseUrl` is not the URL of a service */
  constructor({ baseUrl, ...options }: ClientOptions) {
    const { authorization } = options;
    this.baseUrl = serviceUrlOf(baseUrl);
    this.transport = new Transport(options);
    this.canBatch = !(typeof authorization === 'string' && /^basic /i.test(authorization));
  }

  /** The root mapping: version, limits (`settings`) and enabled features (`capabilities`). */
  async service(options: CallOptions = {}): Promise<Service> {
    return (await this.send('GET', '', options)).data as Service;
  }

  /** One page of a listing. @param query parameters, or the `next` of the page before */
  async page(query: ListQuery | string = {}, options: PageOptions = {}): Promise<Page> {
    const { ifModifiedSince, waitSeconds } = options;
    const prefer = waitSeconds === undefined ? undefined : `wait=${waitSeconds}`;
    const headers = { 'If-Modified-Since': ifModifiedSince, Prefer: prefer };
    const result = await this.send('GET', ARTICLES + searchOf(query), options, { headers });
    const { items = result.status === 304 ? [] : undefined } = result.data as { items?: Page['items'] };
    if (!Array.isArray(items)) throw new ReadingListError('protocol', 'the listing has no items', { status: 200 });
    return { items, ...readPageHeaders(result) };
  }

  /** All pages of a listing, fetched lazily. */
  async *pages(query: ListQuery | string = {}, options: PageOptions = {}): AsyncGenerator<Page, void, undefined> {
    for (let next: ListQuery | string | undefined = query; next !== undefined;) {
      const page: Page = await this.page(next, options);
      yield page;
      next = page.next;
    }
  }

  /** How many records a listing has. */
  async count(query: ListQuery = {}, options: CallOptions = {}): Promise<number> {
    const { headers } = await this.send('HEAD', ARTICLES + searchOf(query), options);
    const total = readInteger(headers, 'Total-Records');
    if (total === undefined)
      throw new ReadingListError('protocol', 'the response has no Total-Records', { status: 200 });
    return total;
  }

  /** Creates an article; `created` is false if one with its URL exists, which is returned unchanged. */
  async create(fields: NewArticle, options: WriteOptions = {}): Promise<{ created: boolean; article: Article }> {
    const { status, data } = await this.send('POST', ARTICLES, options, { body: fields });
    return { created: status === 201, article: data as Article };
  }

  async read(id: string, options: CallOptions = {}): Promise<Article> {
    return (await this.send('GET', at(id), options)).data as Article;
  }

  /** Changes the given fields and returns the whole record. */
  async patch(id: string, fields: ArticlePatch, options: WriteOptions = {}): Promise<Article> {
    return (await this.send('PATCH', at(id), options, { body: fields })).data as Article;
  }

  async remove(id: string, options: WriteOptions = {}): Promise<Tombstone> {
    return (await this.send('DELETE', at(id), options)).data as Tombstone;
  }

  /** Deletes every article that the query lists. @throws refused / 405 if the service does not allow it */
  async removeAll(query: ListQuery, options: WriteOptions = {}): Promise<Tombstone[]> {
    const { data } = await this.send('DELETE', ARTICLES + searchOf(query), options);
    return (data as { items: Tombstone[] }).items;
  }

  /**
   * Sends requests in as few batches as the service allows; each gets its own response, in order, and one that fails does
   * not undo the others. Requires a bearer token.
   * @param options limit: requests in one batch
   */
  batch(requests: readonly BatchRequest[], options: CallOptions & { limit?: number } = {}): Promise<BatchResponse[]> {
    return sendInChunks(requests, options.limit ?? 25, async (chunk) => {
      const { data } = await this.send('POST', '/batch', options, { body: { requests: chunk } });
      return (data as { responses?: Slot[] }).responses;
    });
  }

  /** @internal */
  send(
    method: string,
    path: string,
    options: WriteOptions,
    { headers: given, body }: Pick<Message, 'headers'> & { body?: object } = {},
  ): Promise<Result> {
    const headers = {
      'If-Unmodified-Since': options.ifUnmodifiedSince,
      'Content-Type': body && 'application/json',
      ...given,
    };
    const url = `${this.baseUrl}/v2${path}`;
    return this.transport.send({ method, url, headers, body: body && JSON.stringify(body) }, options);
  }
}

/** A client of the service at `baseUrl`. @throws TypeError when that is not the URL of a service */
export const createClient = (options: ClientOptions): Client => new Client(options);

/** A base URL without `/v2` and slashes at its end. */
function serviceUrlOf(baseUrl: string): string {
  const url = /^(https?:\/\/[^\s?#@]+?)(\/v2)?\/*$/i.exec(baseUrl);
  if (url) return url[1]!;
  throw new TypeError('baseUrl: must be an http(s) URL without credentials, query or fragment');
}

const ARTICLES = '/articles';
const at = (id: string) => `${ARTICLES}/${encodeURIComponent(id)}`;

function searchOf(query: ListQuery | string): string {
  const search = String(typeof query === 'string' ? query : new URLSearchParams(query as Record<string, string>));
  return search && `?${search}`;
}

function readPageHeaders({ status, headers }: Result): Omit<Page, 'items'> {
  const next = headers.get('Next-Page');
  return {
    notModified: status === 304,
    lastModified: readInteger(headers, 'Last-Modified'),
    totalRecords: readInteger(headers, 'Total-Records'),
    // Only the query, as a proxy may have changed the rest of the URL.
    next: next === null ? undefined : next.slice(next.indexOf('?') + 1),
    startOver: headers.get('Start-Over') === 'true',
    grantedWaitSeconds: readGrantedWait(headers),
  };
}
