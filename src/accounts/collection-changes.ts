import type { Timestamp } from '../protocol/timestamp.js';

/** Called when the collection of a user has reached a timestamp. */
export type ChangeListener = (key: string, last_modified: Timestamp) => void;

/** Announces changes of collections within this process; changes by other processes are not announced here. */
export class CollectionChanges {
  private readonly listeners: ChangeListener[] = [];

  /** Call it once the change is durable, with the latest timestamp that it issued. */
  announce(key: string, last_modified: Timestamp): void {
    for (const listener of this.listeners) listener(key, last_modified);
  }

  onChange(listener: ChangeListener): void {
    this.listeners.push(listener);
  }
}
