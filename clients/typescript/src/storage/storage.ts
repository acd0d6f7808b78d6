/** What a storage keeps: anything that JSON can express. */
export type Value = NonNullable<unknown> | null;

/** Changes of one transaction: a value to store, or undefined to delete. */
export type Changes = Map<string, Value | undefined>;

/**
 * Where a replica keeps its data. `@reading-list/client/storage-suite` tests an implementation.
 * One storage belongs to one user's list.
 */
export interface Storage {
  /** The values of the given keys that exist, or everything. */
  load(keys?: readonly string[]): Promise<[key: string, value: Value][]>;
  /**
   * Reads the given keys, calls `change` with what they hold, and stores what it returns: all of it or nothing, durably before
   * the promise resolves, and without any other update in between. `change` is synchronous; what it throws rejects and stores
   * nothing.
   */
  update(keys: readonly string[], change: (current: Map<string, Value>) => Changes): Promise<void>;
  /** Calls the listener with the keys that another user of the same storage, such as another tab, has changed. */
  watch(listener: (keys: string[]) => void): () => void;
  /** Runs `work` while no other user of the same storage runs one under this name. An aborted signal gives up waiting. */
  lock<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Lets go of files and connections; the storage may be used again afterwards. */
  close(): Promise<void>;
}
