import { type IDBPDatabase, openDB } from 'idb';
import { LocalLocks } from './local-locks.js';
import type { Storage, Value } from './storage.js';

const STORE = 'values';

/**
 * A storage in the browser's IndexedDB, shared by all tabs and workers of the origin: Web Locks provide mutual
 * exclusion, a BroadcastChannel announces changes.
 * @param name of the database
 */
export function indexedDbStorage(name: string): Storage {
  const channelName = `reading-list:${name}`;
  const locks = new LocalLocks();
  const watchers = new Set<(keys: string[]) => void>();
  let channel: BroadcastChannel | undefined;
  let opened: Promise<IDBPDatabase> | undefined;
  let isDeleted = false;
  const database = async () => {
    // Opening it would create it again, empty.
    if (isDeleted) throw new Error('the database was deleted');
    opened ??= open(
      name,
      () => (opened = undefined),
      () => (isDeleted = true),
    );
    return opened;
  };

  const begin = async <Mode extends IDBTransactionMode>(mode: Mode) => {
    const current = await database();
    const start = (connection: IDBPDatabase) => connection.transaction(STORE, mode, { durability: 'strict' });
    let transaction: ReturnType<typeof start>;
    try {
      transaction = start(current);
    } catch {
      // Safari may lose a connection without an event.
      if ((await opened) === current) opened = undefined;
      transaction = start(await database());
    }
    // If it fails, so do its requests or whoever waits for it.
    transaction.done.catch(() => undefined);
    return transaction;
  };

  const connect = () => {
    // Without one, other tabs find what has changed when they sync.
    if (!globalThis.BroadcastChannel) return undefined;
    channel ??= new BroadcastChannel(channelName);
    channel.onmessage = ({ data }: MessageEvent<string[]>) => watchers.forEach((watcher) => watcher(data));
    return channel;
  };
  return {
    load: async (keys) => {
      const { store } = await begin('readonly');
      if (!keys) return pairs(await store.getAllKeys(), await store.getAll());
      return pairs(keys, await Promise.all(keys.map((key) => store.get(key) as Promise<Value>)));
    },
    update: async (keys, change) => {
      const transaction = await begin('readwrite');
      const { store } = transaction;
      try {
        const found = pairs(keys, await Promise.all(keys.map((key) => store.get(key) as Promise<Value>)));
        const changes = change(new Map(found));
        await Promise.all([
          ...[...changes].map(async ([key, value]) => {
            await (value === undefined ? store.delete(key) : store.put(value, key));
          }),
          transaction.done,
        ]);
        if (changes.size > 0) connect()?.postMessage([...changes.keys()]);
      } catch (error) {
        abort(transaction);
        throw error;
      }
    },
    watch: (listener) => {
      connect();
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    lock: (lockName, work, signal) =>
      // Insecure contexts have no Web Locks; the fallback only locks among users of this object.
      globalThis.navigator?.locks
        ? navigator.locks.request(`${channelName}:${lockName}`, signal ? { signal } : {}, work)
        : locks.run(lockName, work, signal),
    close: async () => {
      channel?.close();
      channel = undefined;
      const closing = opened;
      opened = undefined;
      (await closing?.catch(() => undefined))?.close();
    },
  };
}

const open = (name: string, onClosed: () => void, onDeleted: () => void): Promise<IDBPDatabase> => {
  const opening = openDB(name, 1, {
    upgrade: (database) => void database.createObjectStore(STORE),
    blocking: (_current, version, event) => {
      // Somebody wants to delete or upgrade the database: do not block that.
      if (version === null) onDeleted();
      onClosed();
      (event.target as IDBDatabase).close();
    },
    terminated: onClosed,
  });
  opening.catch(onClosed);
  return opening;
};

function abort(transaction: { abort(): void }): void {
  try {
    transaction.abort();
  } catch {
    // It has already ended.
  }
}

const pairs = (keys: readonly IDBValidKey[], values: readonly (Value | undefined)[]): [string, Value][] =>
  keys.flatMap((key, index): [string, Value][] =>
    values[index] === undefined ? [] : [[key as string, values[index]]],
  );

export type { Changes, Storage, Value } from './storage.js';
