import type { Timestamp } from '../protocol/timestamp.js';

/** Is told that the collection of an account reached a timestamp. */
export type ChangeListener = (account: Buffer, last_modified: Timestamp) => void;

/** Tells, within this process, which collections changed; what other processes change is not told here. */
export class CollectionChanges {
  private readonly listeners: ChangeListener[] = [];

  /** To be called once the change is durable, with the latest timestamp that it gave out. */
  announce(account: Buffer, last_modified: Timestamp): void {
    for (const listener of this.listeners) listener(account, last_modified);
  }

  onChange(listener: ChangeListener): void {
    this.listeners.push(listener);
  }
}
