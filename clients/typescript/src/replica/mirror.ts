import type { LocalArticle } from '../article.js';
import { asReadingListError } from '../errors.js';
import type { Changes, Storage, Value } from '../storage/storage.js';
import { type Entry, isPending, visible } from './entry.js';
import type { State } from './state.js';

const STATE = 'state';
const PREFIX = 'article:';

/** The source of a change: this device's user, a sync, or another tab. */
export type Source = 'user' | 'sync' | 'tab';

/** What a change may read and write: the entries that it declared, and the state. */
export interface Transaction {
  get(key: string): Entry | undefined;
  /** The key of the entry that has a record, perhaps since an earlier step of this change. */
  keyOfId(id: string): string | undefined;
  set(entry: Entry): void;
  delete(key: string): void;
  state: State;
}

/**
 * The storage's contents in memory, for instant reads. Changes read and update the storage, so that several tabs never
 * overwrite each other; memory follows once they are durable.
 */
export class Mirror {
  state: State = {};
  /** Increases with every change of an article. */
  version = 0;
  /** The `revision` of the state up to which everything is in memory. */
  #revision: number | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #aliases = new Map<string, string>();
  readonly #ids = new Map<string, string>();
  readonly #urls = new Map<string, string>();
  readonly #pendingKeys = new Set<string>();
  readonly #articles = new WeakMap<Entry, LocalArticle>();
  #queue: Promise<unknown> = Promise.resolve();
  readonly #storage: Storage;
  readonly #onChange: (keys: string[], source: Source) => void;

  /** @param onChange called with the keys of articles that look different; none if only the state has changed */
  constructor(storage: Storage, onChange: (keys: string[], source: Source) => void) {
    this.#storage = storage;
    this.#onChange = onChange;
  }

  /**
   * Reads the whole storage and then follows changes by others, such as other tabs, until the returned function is
   * called.
   */
  async open(): Promise<() => void> {
    const stop = this.#storage.watch(
      (keys) => void this.#enqueue(() => this.#reread(keys)).catch(() => (this.#revision = -1)),
    );
    try {
      await this.#enqueue(() => this.#reread());
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** Rereads the state, and everything if another tab has synced since: it may not have announced that yet. */
  async refresh(): Promise<void> {
    const revision = await this.mutate(
      () => [],
      ({ state }) => state.revision,
    );
    if (revision !== this.#revision) await this.#enqueue(() => this.#reread());
  }

  /**
   * Changes entries in one durable step; returns the result of `change`.
   * @param keys of the entries that `change` reads; called after all earlier changes are done
   */
  async mutate<T>(
    keys: () => Iterable<string>,
    change: (transaction: Transaction) => T,
    source: Source = 'sync',
  ): Promise<T> {
    let result: T;
    await this.#enqueue(async () => {
      const names = [STATE, ...[...new Set(keys())].map((key) => PREFIX + key)];
      let read: Changes = new Map();
      let changes: Changes = new Map();
      try {
        await this.#storage.update(names, (current) => {
          read = current;
          changes = new Map();
          const transaction = transactionOn(current, changes, (id) => this.#ids.get(id));
          const before = transaction.state;
          result = change(transaction);
          if (source === 'sync' && (changes.size > 0 || transaction.state !== before)) {
            const revision = (before.revision ?? 0) + 1;
            transaction.state = { ...transaction.state, revision };
            if (this.#revision === before.revision) this.#revision = revision;
          }
          if (transaction.state !== before) changes.set(STATE, transaction.state);
          return changes;
        });
      } catch (error) {
        // It may have been stored nevertheless.
        if (changes.size > 0) {
          this.#revision = -1;
          await this.#reread([...changes.keys()]).catch(() => undefined);
        }
        throw error;
      }
      this.#take(new Map([...names.map((name) => [name, read.get(name)] as const), ...changes]), source);
    });
    return result!;
  }

  /** Waits for all changes in progress. */
  async settled(): Promise<void> {
    await this.#queue;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(this.#aliases.get(key) ?? key);
  }

  keyOfId(id: string): string | undefined {
    return this.#ids.get(id);
  }

  /** The key of the visible article with this URL, if any. */
  keyOfUrl(url: string): string | undefined {
    return this.#urls.get(url);
  }

  all(): Iterable<Entry> {
    return this.#entries.values();
  }

  isPending(key: string): boolean {
    return this.#pendingKeys.has(key);
  }

  /** Entries with pending changes, earliest first. */
  pending(): Entry[] {
    return [...this.#pendingKeys].map((key) => this.#entries.get(key)!);
  }

  /** The article of an entry: the same object as long as it looks the same, undefined if removed. */
  article(entry: Entry | undefined): LocalArticle | undefined {
    if (!entry || entry.removal) return undefined;
    const known = this.#articles.get(entry);
    if (known) return known;
    const article = visible(entry);
    this.#articles.set(entry, article);
    return article;
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#queue.then(work).catch((error: unknown) => {
      throw asReadingListError(error);
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Takes the stored values of these names, or all of them. */
  async #reread(names?: string[]): Promise<void> {
    const found = await this.#storage.load(names);
    const known = names ?? [...this.#entries.keys()].map((key) => PREFIX + key);
    this.#take(new Map([...known.map((name) => [name, undefined] as const), ...found]), 'tab');
    if (!names) this.#revision = this.state.revision;
  }

  #take(values: Iterable<[string, Value | undefined]>, source: Source): void {
    const changed: string[] = [];
    const { state } = this;
    for (const [name, value] of values) {
      if (name === STATE) this.state = (value as State | undefined) ?? {};
      else if (name.startsWith(PREFIX) && this.#put(name.slice(PREFIX.length), value as Entry | undefined))
        changed.push(name.slice(PREFIX.length));
    }
    if (changed.length > 0) this.version++;
    if (changed.length > 0 || this.state !== state) this.#onChange(changed, source);
  }

  /** Stores an entry; returns whether its article looks different, or is waiting for nothing any more. */
  #put(key: string, entry: Entry | undefined): boolean {
    const before = this.#entries.get(key);
    if (before === entry) return false;
    if (before) this.#forget(before, entry);
    if (!entry) return true;
    this.#entries.set(key, entry);
    const { base, draft, aliases = [] } = entry;
    if (base) this.#ids.set(base.id, key);
    if (!entry.removal) this.#urls.set((base ?? draft!).url, key);
    for (const alias of aliases) this.#aliases.set(alias, key);
    if (isPending(entry)) this.#pendingKeys.add(key);
    const shown = this.article(before);
    if (!before || !isSame(shown, this.article(entry))) return true;
    if (shown) this.#articles.set(entry, shown);
    return false;
  }

  #forget({ key, base, draft }: Entry, next: Entry | undefined): void {
    const { url } = (base ?? draft)!;
    if (this.#urls.get(url) === key) this.#urls.delete(url);
    if (base && this.#ids.get(base.id) === key) this.#ids.delete(base.id);
    if (!next || !isPending(next)) this.#pendingKeys.delete(key);
    if (!next) this.#entries.delete(key);
  }
}

/** Whether two articles, or two lists of them, hold the same values. */
export const isSame = (shown: object = {}, now: object = {}): boolean =>
  Object.entries(now).every(([name, value]) => shown[name as never] === value) &&
  Object.keys(shown).length === Object.keys(now).length;

function transactionOn(current: Map<string, Value>, changes: Changes, keyOfId: Transaction['keyOfId']): Transaction {
  const ids = new Map<string, string>();
  const read = (name: string) => (changes.has(name) ? changes.get(name) : current.get(name));
  return {
    get: (key) => read(PREFIX + key) as Entry | undefined,
    keyOfId: (id) => ids.get(id) ?? keyOfId(id),
    set: (entry) => {
      if (entry.base) ids.set(entry.base.id, entry.key);
      if (read(PREFIX + entry.key) !== entry) changes.set(PREFIX + entry.key, entry);
    },
    delete: (key) => void changes.set(PREFIX + key, undefined),
    state: (current.get(STATE) as State | undefined) ?? {},
  };
}
