import type { LocalArticle } from '../article.js';
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
  private readonly entries = new Map<string, Entry>();
  private readonly aliases = new Map<string, string>();
  private readonly ids = new Map<string, string>();
  private readonly urls = new Map<string, string>();
  private readonly pendingKeys = new Set<string>();
  private readonly articles = new WeakMap<Entry, LocalArticle>();
  private queue: Promise<unknown> = Promise.resolve();

  /** @param onChange called with the keys of articles that look different; none if only the state has changed */
  constructor(
    private readonly storage: Storage,
    private readonly onChange: (keys: string[], source: Source) => void,
  ) {}

  /**
   * Reads the whole storage and then follows changes by others, such as other tabs, until the returned function is
   * called.
   */
  async open(): Promise<() => void> {
    const stop = this.storage.watch((keys) => void this.reload(keys).catch(() => undefined));
    try {
      await this.enqueue(async () => this.take(await this.storage.load(), 'tab'));
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
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
    await this.enqueue(async () => {
      const names = [STATE, ...[...new Set(keys())].map((key) => PREFIX + key)];
      let changes: Changes = new Map();
      await this.storage.update(names, (current) => {
        changes = new Map();
        const transaction = transactionOn(current, changes, (id) => this.ids.get(id));
        const before = transaction.state;
        result = change(transaction);
        if (transaction.state !== before) changes.set(STATE, transaction.state);
        return changes;
      });
      this.take(changes, source);
    });
    return result!;
  }

  /** Waits for all changes in progress. */
  async settled(): Promise<void> {
    await this.queue;
  }

  get(key: string): Entry | undefined {
    return this.entries.get(this.aliases.get(key) ?? key);
  }

  keyOfId(id: string): string | undefined {
    return this.ids.get(id);
  }

  /** The key of the visible article with this URL, if any. */
  keyOfUrl(url: string): string | undefined {
    return this.urls.get(url);
  }

  all(): Iterable<Entry> {
    return this.entries.values();
  }

  isPending(key: string): boolean {
    return this.pendingKeys.has(key);
  }

  /** Entries with pending changes, earliest first. */
  pending(): Entry[] {
    return [...this.pendingKeys].map((key) => this.entries.get(key)!);
  }

  /** The article of an entry: the same object as long as it looks the same, undefined if removed. */
  article(entry: Entry | undefined): LocalArticle | undefined {
    if (!entry || entry.removal) return undefined;
    const known = this.articles.get(entry);
    if (known) return known;
    const article = visible(entry);
    this.articles.set(entry, article);
    return article;
  }

  private enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.queue.then(work);
    this.queue = done.catch(() => undefined);
    return done;
  }

  private reload(keys: string[]): Promise<void> {
    return this.enqueue(async () => {
      const found = new Map(await this.storage.load(keys));
      this.take(
        keys.map((key): [string, Value | undefined] => [key, found.get(key)]),
        'tab',
      );
    });
  }

  private take(values: Iterable<[string, Value | undefined]>, source: Source): void {
    const changed: string[] = [];
    const { state } = this;
    for (const [name, value] of values) {
      if (name === STATE) this.state = (value as State | undefined) ?? {};
      else if (name.startsWith(PREFIX) && this.put(name.slice(PREFIX.length), value as Entry | undefined))
        changed.push(name.slice(PREFIX.length));
    }
    if (changed.length > 0) this.version++;
    if (changed.length > 0 || this.state !== state) this.onChange(changed, source);
  }

  /** Stores an entry; returns whether its article looks different. */
  private put(key: string, entry: Entry | undefined): boolean {
    const before = this.entries.get(key);
    if (before === entry) return false;
    if (before) this.forget(before, entry);
    if (!entry) return before?.removal === undefined;
    this.entries.set(key, entry);
    const { base, draft, aliases = [] } = entry;
    if (base) this.ids.set(base.id, key);
    if (!entry.removal) this.urls.set((base ?? draft!).url, key);
    for (const alias of aliases) this.aliases.set(alias, key);
    if (isPending(entry)) this.pendingKeys.add(key);
    const shown = before && this.articles.get(before);
    if (!shown || !isSame(shown, this.article(entry))) return true;
    this.articles.set(entry, shown);
    return false;
  }

  private forget({ key, base, draft }: Entry, next: Entry | undefined): void {
    const { url } = (base ?? draft)!;
    if (this.urls.get(url) === key) this.urls.delete(url);
    if (base && this.ids.get(base.id) === key) this.ids.delete(base.id);
    if (!next || !isPending(next)) this.pendingKeys.delete(key);
    if (!next) this.entries.delete(key);
  }
}

const isSame = (shown: LocalArticle, now: LocalArticle | undefined): boolean =>
  now !== undefined &&
  Object.entries(now).every(([name, value]) => shown[name as keyof LocalArticle] === value) &&
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
