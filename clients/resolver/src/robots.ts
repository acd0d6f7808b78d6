import { LRUCache } from 'lru-cache';
import { isAllowed, type Rule, rulesFor } from './robots-rules.js';

const NAME = 'reading-list-resolver';
const MAX_LENGTH = 500 * 1024;
/** The rules take ten times the memory of the text at most. */
const MAX_REMEMBERED_LENGTH = 8 * 1024 * 1024;
const ONE_HOUR_MS = 3_600_000;

type Fetch = (url: string, signal: AbortSignal) => Promise<{ status: number; bytes: Uint8Array }>;

/** What robots.txt files allow (RFC 9309). */
export class Robots {
  readonly #fetch: Fetch;
  readonly #rules = new LRUCache<string, readonly Rule[]>({
    max: 1_000,
    maxSize: MAX_REMEMBERED_LENGTH,
    ttl: ONE_HOUR_MS,
  });

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  async allows({ origin, pathname, search }: URL, signal: AbortSignal): Promise<boolean> {
    const rules = this.#rules.get(origin) ?? (await this.#read(origin, signal));
    return isAllowed(pathname + search, rules);
  }

  /** A file that does not exist allows everything, a server that fails nothing. */
  async #read(origin: string, signal: AbortSignal): Promise<readonly Rule[]> {
    const { status, bytes } = await this.#fetch(`${origin}/robots.txt`, signal);
    const text = status <= 299 ? new TextDecoder().decode(bytes.subarray(0, MAX_LENGTH)) : '';
    const rules = status >= 500 ? [{ allows: false, pattern: '/' }] : rulesFor(NAME, text);
    this.#rules.set(origin, rules, { size: text.length + 1 });
    return rules;
  }
}
