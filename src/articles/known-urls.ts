import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The most entries to keep: about two megabytes. */
const CAPACITY = 20_000;

/**
 * Guesses whether a POST names a URL that is already stored, so that the service looks it up first instead of letting
 * an insert fail. That is likely for a URL that was posted before, as after a lost response. It is also likely for any
 * URL that follows one that was stored though never posted here, as when a device sends its whole list, until one turns
 * out to be new. A wrong guess costs a statement or two but never a wrong result: the unique keys of the database
 * decide.
 */
export class KnownUrls {
  private readonly keys: LRUCache<string, true>;

  constructor(capacity = CAPACITY) {
    this.keys = new LRUCache({ max: capacity });
  }

  isLikely(account: Buffer, url: string): boolean {
    return this.has(keyOf(account)) || this.has(keyOf(account, url));
  }

  /** Records the outcome of a POST. */
  note(account: Buffer, url: string, wasThere: boolean): void {
    const key = keyOf(account, url);
    if (!wasThere) this.keys.delete(keyOf(account));
    else if (!this.has(key)) this.keys.set(keyOf(account), true);
    this.keys.set(key, true);
  }

  private has(key: string): boolean {
    return this.keys.get(key) === true;
  }
}

/** A digest of account and URL or, without a URL, the account's own key; bytes as Latin-1 characters. */
function keyOf(account: Buffer, url?: string): string {
  const text = account.toString('latin1');
  return url === undefined ? text : hash('sha256', text + url, 'binary');
}
