/** A stored value: anything that JSON can express. */
export type Value = NonNullable<unknown> | null;

/** The changes of one transaction: a value to store, or undefined to delete. */
export type Changes = Map<string, Value | undefined>;

/**
 * Where a replica stores its data. `@reading-list/client/storage-suite` tests an implementation. One storage belongs to
 * one user's list.
 */
export interface Storage {
  /** The values of the given keys that exist, or everything. */
  load(keys?: readonly string[]): Promise<[key: string, value: Value][]>;
  /**
   * Reads the given keys, calls `change` with their values, and stores the result: atomically, durably before the
   * promise resolves, and isolated from other updates. `change` is synchronous; if it throws, the promise rejects and
   * nothing is stored.
   */
  update(keys: readonly string[], change: (current: Map<string, Value>) => Changes): Promise<void>;
  /** Calls the listener with keys that another user of the same storage, such as another tab, has changed. */
  watch(listener: (keys: string[]) => void): () => void;
  /** Runs `work` while no other user of the same storage holds the lock. Aborting the signal ends the wait. */
  lock<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Closes files and connections; the storage can be used again afterwards. */
  close(): Promise<void>;
}
