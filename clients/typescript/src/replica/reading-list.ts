import type { Article, Draft, LocalArticle, Marks, Query } from '../article.js';
import { asReadingListError, ReadingListError } from '../errors.js';
import type { Storage } from '../storage/storage.js';
import type { Client } from '../wire/client.js';
import { AutomaticSync } from './automatic.js';
import { checkedDevice, checkedInteger, checkedTitle, draftOf, trimmed } from './checks.js';
import { callSafely } from './emitter.js';
import { edited, type Entry, urlOf } from './entry.js';
import { restore } from './merge.js';
import { newKey } from './key.js';
import { isSame, Mirror, type Source, type Transaction } from './mirror.js';
import { noteConflict } from './push.js';
import { Queries } from './queries.js';
import { type Events, type Status, Synchronizer, type SyncResult } from './synchronizer.js';

export interface ReadingListOptions {
  client: Client;
  storage: Storage;
  /** The name of this device: `added_by` and `marked_read_by`. Read for each change, so that it may be a getter. */
  device: string;
  /** The device's clock, in milliseconds. */
  now?: () => number;
}

type Counted = Omit<Query, 'order' | 'limit' | 'offset'>;

/** A reading list that works offline. Reads come from memory; a write that has resolved is durable. */
export class ReadingList {
  readonly #options: ReadingListOptions;
  readonly #mirror: Mirror;
  readonly #queries: Queries;
  readonly #synchronizer: Synchronizer;
  #automatic: AutomaticSync | undefined;
  #stopFollowing: () => void = () => undefined;
  #closing: Promise<void> | undefined;

  /** @internal use `openReadingList` */
  constructor(options: ReadingListOptions) {
    this.#options = options;
    this.#mirror = new Mirror(options.storage, (keys, source) => this.#changed(keys, source));
    this.#queries = new Queries(this.#mirror);
    this.#synchronizer = new Synchronizer(this.#mirror, options.client, options.storage);
  }

  /** @internal */
  async open(): Promise<this> {
    this.#stopFollowing = await this.#mirror.open();
    return this;
  }

  get status(): Status {
    return this.#synchronizer.status;
  }

  /**
   * Adds an article, or returns the existing one with that URL.
   * @throws refused when the service would reject it
   */
  async add(fields: { url: string; title?: string | null } & Partial<Article>): Promise<LocalArticle> {
    this.#checkOpen();
    const draft = draftOf(fields, { device: this.#device(), now: this.#now() });
    const fresh: Entry = { key: newKey(), draft };
    const known = () => this.#mirror.keyOfUrl(draft.url) ?? '';
    const entry = await this.#mirror.mutate(
      () => [fresh.key, known()],
      (transaction) => {
        const found = transaction.get(known());
        if (found && !found.removal) return found;
        transaction.set(fresh);
        return fresh;
      },
      'user',
    );
    return this.#mirror.article(entry)!;
  }

  get(which: { key: string } | { id: string } | { url: string }): Promise<LocalArticle | undefined> {
    return this.#read(() => {
      const { key, id, url = '' } = which as { key?: string; id?: string; url?: string };
      const mirror = this.#mirror;
      return mirror.article(mirror.get(key ?? mirror.keyOfId(id ?? '') ?? mirror.keyOfUrl(trimmed(url)) ?? ''));
    });
  }

  /** @throws refused when the order or the limit is invalid */
  list(query?: Query): Promise<LocalArticle[]> {
    return this.#read(() => this.#queries.list(query));
  }

  count(query?: Counted): Promise<number> {
    return this.#read(() => this.#queries.count(query));
  }

  /** How many articles have changes, including removals, that are not on the server yet. */
  countPending(): Promise<number> {
    return this.#read(() => this.#mirror.pending().length);
  }

  /** Articles with every word of the text in their title, URL or excerpt. */
  search(text: string, query?: Query): Promise<LocalArticle[]> {
    return this.#read(() => this.#queries.search(text, query));
  }

  markRead(key: string): Promise<void> {
    return this.#edit(key, { unread: false });
  }

  /** Also resets the read position, like the service. */
  markUnread(key: string): Promise<void> {
    return this.#edit(key, { unread: true });
  }

  archive(key: string, archived = true): Promise<void> {
    return this.#edit(key, { archived });
  }

  favorite(key: string, favorite = true): Promise<void> {
    return this.#edit(key, { favorite });
  }

  /** Like the service, ignores a position lower than the current one. */
  async setReadPosition(key: string, words: number): Promise<void> {
    await this.#edit(key, { read_position: checkedInteger(words, 'read_position') });
  }

  async rename(key: string, title: string): Promise<void> {
    await this.#edit(key, { title: checkedTitle(title) });
  }

  async remove(key: string): Promise<void> {
    await this.#change(key, (entry, transaction) => {
      const removals = (transaction.state.removals ?? 0) + 1;
      transaction.state = { ...transaction.state, removals };
      return { ...entry, removal: { order: removals } };
    });
  }

  /** Undoes the last removal, unless the service may have received it. */
  async undoRemove(): Promise<LocalArticle | undefined> {
    this.#checkOpen();
    const mirror = this.#mirror;
    const keys = () => {
      // Not an earlier one, though that may still wait.
      const removed = mirror.pending().find(({ removal }) => removal?.order === mirror.state.removals);
      return removed ? [removed.key, mirror.keyOfUrl(urlOf(removed)) ?? ''] : [];
    };
    const entry = await mirror.mutate(
      keys,
      (transaction) => {
        const [removed, again] = keys().map((key) => transaction.get(key));
        if (!removed?.removal || removed.removal.sent) return undefined;
        transaction.state = { ...transaction.state, removals: removed.removal.order - 1 };
        // What may be on the server is for the next sync to unite.
        const isUnsent = again?.draft && !again.removal && !again.sent;
        if (isUnsent) transaction.delete(again.key);
        const outcome = restore(removed, isUnsent ? again : undefined);
        transaction.set(outcome.entry!);
        noteConflict(transaction, outcome);
        return outcome.entry;
      },
      'user',
    );
    return mirror.article(entry);
  }

  /** Sends pending changes and fetches those of others. Rejects with a ReadingListError, without losing anything. */
  async sync(): Promise<SyncResult> {
    this.#checkOpen();
    const result = await this.#synchronizer.sync();
    this.#synchronizer.noteReceived(result.conflicts);
    return result;
  }

  /**
   * Starts syncing automatically. @param options intervalSeconds: the interval between polls without another trigger,
   * 300 by default
   */
  start({ intervalSeconds }: { intervalSeconds?: number } = {}): void {
    this.#checkOpen();
    if (this.#automatic) return;
    this.#automatic = new AutomaticSync(this.#synchronizer, intervalSeconds);
    this.#automatic.start(this.#options.storage);
  }

  stop(): void {
    this.#automatic?.stop();
    this.#automatic = undefined;
  }

  /** Stops syncing, aborts requests in flight, and closes the storage. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /**
   * Calls the listener with the query's articles, initially and after each change, until the returned function is
   * called.
   * @throws refused when the order or the limit is invalid
   */
  subscribe(query: Query, listener: (articles: LocalArticle[]) => void): () => void {
    // Throws here, to the caller, if the query is invalid.
    this.#queries.list(query);
    let shown: LocalArticle[] | undefined;
    let isScheduled = false;
    let isOver = false;
    const show = () => {
      isScheduled = false;
      const articles = this.#queries.list(query);
      if (isOver || (shown && isSame(shown, articles))) return;
      shown = articles;
      callSafely(listener, [...articles]);
    };
    const schedule = () => {
      if (isScheduled) return;
      isScheduled = true;
      queueMicrotask(show);
    };
    const stop = this.on('change', schedule);
    schedule();
    return () => {
      isOver = true;
      stop();
    };
  }

  on<Name extends keyof Events>(event: Name, listener: (detail: Events[Name]) => void): () => void {
    return this.#synchronizer.events.on(event, listener);
  }

  async #close(): Promise<void> {
    this.stop();
    this.#stopFollowing();
    await this.#synchronizer.close();
    await this.#mirror.settled();
    await this.#options.storage.close().catch((error: unknown) => {
      throw asReadingListError(error);
    });
  }

  async #edit(key: string, fields: Partial<Draft>): Promise<void> {
    const marks: Marks = { marked_read_by: this.#device(), marked_read_on: this.#now() };
    await this.#change(key, (entry) => edited(entry, fields, marks));
  }

  async #change(key: string, next: (entry: Entry, transaction: Transaction) => Entry): Promise<void> {
    this.#checkOpen();
    await this.#mirror.mutate(
      () => [this.#keyNow(key)],
      (transaction) => {
        const entry = transaction.get(this.#keyNow(key));
        if (!entry || entry.removal) throw new ReadingListError('refused', `no article with the key ${key}`);
        transaction.set(next(entry, transaction));
      },
      'user',
    );
  }

  /** The current key of an article that may have been merged into another one. */
  #keyNow(key: string): string {
    return this.#mirror.get(key)?.key ?? key;
  }

  async #read<T>(work: () => T): Promise<T> {
    this.#checkOpen();
    return Promise.resolve(work());
  }

  #changed(keys: string[], source: Source): void {
    this.#synchronizer.tellConflicts();
    if (keys.length === 0) return;
    this.#synchronizer.events.emit('change', { keys, source: source === 'user' ? 'local' : 'remote' });
    if (source !== 'sync' && keys.some((key) => this.#mirror.isPending(key))) this.#automatic?.trigger();
  }

  #device(): string {
    return checkedDevice(this.#options.device, 'device');
  }

  #now(): number {
    return Math.max(0, Math.floor((this.#options.now ?? Date.now)()));
  }

  #checkOpen(): void {
    if (this.#closing) throw new ReadingListError('refused', 'the list is closed');
  }
}

/**
 * Opens the reading list in the storage. Needs no network.
 * @throws refused when the device's name is invalid
 */
export async function openReadingList(options: ReadingListOptions): Promise<ReadingList> {
  checkedDevice(options.device, 'device');
  return new ReadingList(options).open();
}
