import { createHash } from 'node:crypto';

/** What is remembered at most: about two megabytes. */
const CAPACITY = 20_000;

/**
 * Guesses whether a POST names a URL that is there already, so that the service looks for it first and does not let an insert
 * fail: a URL that was posted before, as after a lost response, or any URL after one that was there though it was not posted
 * before, as when a device sends its whole list, until one is new. A wrong guess costs a statement or some, never a wrong answer: the unique keys
 * of the database decide.
 */
export class KnownUrls {
  private readonly keys = new Set<string>();

  constructor(private readonly capacity = CAPACITY) {}

  isLikely(account: Buffer, url: string): boolean {
    return this.keys.has(keyOf(account)) || this.keys.has(keyOf(account, url));
  }

  /** Notes what became of a POST. */
  note(account: Buffer, url: string, wasThere: boolean): void {
    if (!wasThere) this.keys.delete(keyOf(account));
    else if (!this.keys.has(keyOf(account, url))) this.remember(keyOf(account));
    this.remember(keyOf(account, url));
  }

  private remember(key: string): void {
    this.keys.delete(key);
    this.keys.add(key);
    if (this.keys.size <= this.capacity) return;
    const [oldest] = this.keys;
    this.keys.delete(oldest!);
  }
}

/** A digest of the URL, or without one the account's own key: bytes as characters. */
const keyOf = (account: Buffer, url?: string): string =>
  url === undefined ? account.toString('latin1') : createHash('sha256').update(account).update(url).digest('binary');
