import type { Article, Conflict, Draft, LocalArticle, Marks, Query } from '../article.js';
import { ReadingListError } from '../errors.js';
import type { Storage } from '../storage/storage.js';
import type { Client } from '../wire/client.js';
import type { Alert } from '../wire/headers.js';
import { AutomaticSync } from './automatic.js';
import { checkedDevice, checkedInteger, checkedTitle, draftOf, trimmed } from './checks.js';
import { callSafely, Emitter } from './emitter.js';
import { edited, type Entry } from './entry.js';
import { newKey } from './key.js';
import { Mirror, type Source } from './mirror.js';
import { Queries } from './queries.js';
import { type Status, Synchronizer, type SyncResult } from './synchronizer.js';

export interface ReadingListOptions {
  client: Client;
  storage: Storage;
  /** The name of this device: `added_by` and `marked_read_by`. */
  device: string;
  /** The device's clock, in milliseconds. */
  now?: () => number;
}

/** The events of a reading list. */
export interface Events {
  /** Articles look different; `local` if this device's user changed them, `remote` for the server or another tab. */
  change: { keys: string[]; source: 'local' | 'remote' };
  status: Status;
  conflict: Conflict;
  alert: Alert;
}

type Counted = Omit<Query, 'order' | 'limit' | 'offset'>;

/** A reading list that works offline. Reads come from memory; a write that has resolved is durable. */
export class ReadingList {
  private readonly events = new Emitter<Pick<Events, 'change'>>();
  private readonly mirror: Mirror;
  private readonly queries: Queries;
  private readonly synchronizer: Synchronizer;
  private automatic: AutomaticSync | undefined;
  private stopFollowing: () => void = () => undefined;
  private isClosed = false;

  /** @internal use `openReadingList` */
  constructor(private readonly options: ReadingListOptions) {
    this.mirror = new Mirror(options.storage, (keys, source) => this.changed(keys, source));
    this.queries = new Queries(this.mirror);
    this.synchronizer = new Synchronizer(this.mirror, options.client, options.storage);
  }

  /** @internal */
  async open(): Promise<this> {
    this.stopFollowing = await this.mirror.open();
    return this;
  }

  get status(): Status {
    return this.synchronizer.status;
  }

  /**
   * Adds an article, or returns the existing one with that URL.
   * @throws refused when the service would reject it
   */
  async add(fields: { url: string; title?: string | null } & Partial<Article>): Promise<LocalArticle> {
    this.checkOpen();
    const draft = draftOf(fields, { device: this.options.device, now: this.now() });
    const fresh: Entry = { key: newKey(), draft };
    const entry = await this.mirror.mutate(
      () => [fresh.key],
      (transaction) => {
        const known = this.mirror.keyOfUrl(draft.url);
        if (known !== undefined) return this.mirror.get(known)!;
        transaction.set(fresh);
        return fresh;
      },
      'user',
    );
    return this.mirror.article(entry)!;
  }

  get(which: { key: string } | { id: string } | { url: string }): Promise<LocalArticle | undefined> {
    return this.read(() => {
      if ('key' in which) return this.mirror.article(this.mirror.get(which.key));
      const key = 'id' in which ? this.mirror.keyOfId(which.id) : this.mirror.keyOfUrl(trimmed(which.url));
      return key === undefined ? undefined : this.mirror.article(this.mirror.get(key));
    });
  }

  list(query: Query = {}): Promise<LocalArticle[]> {
    return this.read(() => this.queries.list(query));
  }

  count(query: Counted = {}): Promise<number> {
    return this.read(() => this.queries.count(query));
  }

  /** How many articles have changes, including removals, that are not on the server yet. */
  countPending(): Promise<number> {
    return this.read(() => this.mirror.pending().length);
  }

  /** Articles with every word of the text in their title, URL or excerpt. */
  search(text: string, query: Query = {}): Promise<LocalArticle[]> {
    return this.read(() => this.queries.search(text, query));
  }

  markRead(key: string): Promise<void> {
    return this.edit(key, { unread: false });
  }

  /** Also resets the read position, like the service. */
  markUnread(key: string): Promise<void> {
    return this.edit(key, { unread: true });
  }

  archive(key: string, archived = true): Promise<void> {
    return this.edit(key, { archived });
  }

  favorite(key: string, favorite = true): Promise<void> {
    return this.edit(key, { favorite });
  }

  /** Like the service, ignores a position lower than the current one. */
  async setReadPosition(key: string, words: number): Promise<void> {
    await this.edit(key, { read_position: checkedInteger(words, 'read_position') });
  }

  async rename(key: string, title: string): Promise<void> {
    await this.edit(key, { title: checkedTitle(title) });
  }

  async remove(key: string): Promise<void> {
    await this.change(key, (entry) => ({ ...entry, removal: { order: this.nextOrder() } }));
  }

  /** Undoes the last removal, if there is one that has not been sent. */
  async undoRemove(): Promise<LocalArticle | undefined> {
    this.checkOpen();
    let restored: string | undefined;
    const last = () => (restored = this.lastRemoved()?.key);
    const entry = await this.mirror.mutate(
      () => [last() ?? ''],
      (transaction) => {
        const { removal, ...entry } = transaction.get(restored ?? '') ?? {};
        if (!removal || removal.sent) return undefined;
        transaction.set(entry as Entry);
        return entry as Entry;
      },
      'user',
    );
    return this.mirror.article(entry);
  }

  /** Sends pending changes and fetches those of others. Rejects with a ReadingListError, without losing anything. */
  async sync(): Promise<SyncResult> {
    this.checkOpen();
    const result = await this.synchronizer.sync();
    this.synchronizer.noteReceived(result.conflicts);
    return result;
  }

  /**
   * Starts syncing automatically. @param options intervalSeconds: the interval between polls without another trigger,
   * 300 by default
   */
  start({ intervalSeconds }: { intervalSeconds?: number } = {}): void {
    this.checkOpen();
    if (this.automatic) return;
    this.automatic = new AutomaticSync(this.synchronizer, intervalSeconds);
    this.automatic.start(this.options.storage);
  }

  stop(): void {
    this.automatic?.stop();
    this.automatic = undefined;
  }

  /** Stops syncing, aborts requests in flight, and closes the storage. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.stop();
    await this.synchronizer.close();
    await this.mirror.settled();
    this.stopFollowing();
    await this.options.storage.close();
  }

  /**
   * Calls the listener with the query's articles, initially and after each change, until the returned function is
   * called.
   */
  subscribe(query: Query, listener: (articles: LocalArticle[]) => void): () => void {
    let shown: LocalArticle[] | undefined;
    let isScheduled = false;
    let isOver = false;
    const show = () => {
      isScheduled = false;
      const articles = this.queries.list(query);
      if (isOver || (shown && isSame(shown, articles))) return;
      shown = articles;
      callSafely(listener, [...articles]);
    };
    const schedule = () => {
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(show);
    };
    const stop = this.events.on('change', schedule);
    schedule();
    return () => {
      isOver = true;
      stop();
    };
  }

  on<Name extends keyof Events>(event: Name, listener: (detail: Events[Name]) => void): () => void {
    if (event === 'change') return this.events.on('change', listener as (detail: Events['change']) => void);
    return this.synchronizer.events.on(event, listener as never);
  }

  private edit(key: string, fields: Partial<Draft>): Promise<void> {
    const marks: Marks = { marked_read_by: this.options.device, marked_read_on: this.now() };
    return this.change(key, (entry) => edited(entry, fields, marks));
  }

  private async change(key: string, next: (entry: Entry) => Entry): Promise<void> {
    this.checkOpen();
    await this.mirror.mutate(
      () => [this.keyNow(key)],
      (transaction) => {
        const entry = transaction.get(this.keyNow(key));
        if (!entry || entry.removal) throw new ReadingListError('refused', `no article with the key ${key}`);
        transaction.set(next(entry));
      },
      'user',
    );
  }

  /** The current key of an article that may have been merged into another one. */
  private keyNow(key: string): string {
    return this.mirror.get(key)?.key ?? key;
  }

  private async read<T>(work: () => T): Promise<T> {
    this.checkOpen();
    return Promise.resolve(work());
  }

  private changed(keys: string[], source: Source): void {
    if (source === 'tab') this.synchronizer.tellConflicts();
    if (keys.length === 0) return;
    this.events.emit('change', { keys, source: source === 'user' ? 'local' : 'remote' });
    if (source !== 'sync' && keys.some((key) => this.mirror.isPending(key))) this.automatic?.trigger();
  }

  private lastRemoved(): Entry | undefined {
    const removed = this.mirror.pending().filter(({ removal }) => removal && !removal.sent);
    return removed.sort((a, b) => b.removal!.order - a.removal!.order)[0];
  }

  private nextOrder(): number {
    const orders = this.mirror.pending().map(({ removal }) => removal?.order ?? 0);
    return Math.max(0, ...orders) + 1;
  }

  private now(): number {
    return Math.max(0, Math.floor((this.options.now ?? Date.now)()));
  }

  private checkOpen(): void {
    if (this.isClosed) throw new ReadingListError('refused', 'the reading list is closed');
  }
}

const isSame = (a: readonly LocalArticle[], b: readonly LocalArticle[]): boolean =>
  a.length === b.length && a.every((article, index) => article === b[index]);

/**
 * Opens the reading list in the storage. Needs no network.
 * @throws refused when the device's name is invalid
 */
export async function openReadingList(options: ReadingListOptions): Promise<ReadingList> {
  const device = checkedDevice(options.device, 'device');
  return new ReadingList({ ...options, device }).open();
}
