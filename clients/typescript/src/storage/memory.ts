import { LocalLocks } from './local-locks.js';
import type { Storage, Value } from './storage.js';

/** A storage that lives as long as this object; several lists may share it, as tabs share a database. */
export function memoryStorage(): Storage {
  const values = new Map<string, Value>();
  const watchers = new Set<(keys: string[]) => void>();
  const locks = new LocalLocks();
  const read = (keys: readonly string[]): [string, Value][] =>
    keys.flatMap((key): [string, Value][] => (values.has(key) ? [[key, values.get(key)!]] : []));
  return {
    load: (keys) => Promise.resolve(keys ? read(keys) : [...values]),
    // In a microtask, so that an exception in `change` rejects like in any other storage.
    update: async (keys, change) => {
      await Promise.resolve();
      const changes = change(new Map(read(keys)));
      for (const [key, value] of changes) {
        if (value === undefined) values.delete(key);
        else values.set(key, value);
      }
      const changed = [...changes.keys()];
      if (changed.length > 0) queueMicrotask(() => watchers.forEach((watcher) => watcher(changed)));
    },
    watch: (listener) => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    lock: (name, work, signal) => locks.run(name, work, signal),
    close: () => Promise.resolve(),
  };
}

export type { Changes, Storage, Value } from './storage.js';
