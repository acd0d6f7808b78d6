import { LRUCache } from 'lru-cache';
import robotsParser, { type Robot } from 'robots-parser';

/** Its types describe a default export, but it is CommonJS: the module is the function. */
const parseRobots = robotsParser as unknown as (url: string, contents: string) => Robot;

const NAME = 'reading-list-resolver';
const MAX_LENGTH = 500 * 1024;
const ONE_HOUR_MS = 3_600_000;

type Fetch = (url: string, signal: AbortSignal) => Promise<{ status: number; bytes: Uint8Array }>;

/** What robots.txt files allow (RFC 9309). */
export class Robots {
  readonly #fetch: Fetch;
  readonly #files = new LRUCache<string, Robot>({ max: 1_000, ttl: ONE_HOUR_MS });

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  async allows({ origin, href }: URL, signal: AbortSignal): Promise<boolean> {
    const file = this.#files.get(origin) ?? (await this.#read(`${origin}/robots.txt`, signal));
    this.#files.set(origin, file);
    return file.isAllowed(href, NAME) !== false;
  }

  /** A file that does not exist allows everything, a server that fails nothing. */
  async #read(url: string, signal: AbortSignal): Promise<Robot> {
    const { status, bytes } = await this.#fetch(url, signal);
    if (status >= 500) return parseRobots(url, 'User-agent: *\nDisallow: /');
    const text = status <= 299 ? new TextDecoder().decode(bytes.subarray(0, MAX_LENGTH)) : '';
    return parseRobots(url, text);
  }
}
