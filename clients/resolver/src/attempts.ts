import { LRUCache } from 'lru-cache';

const MAX_ATTEMPTS = 6;
const FIRST_DELAY_MS = 60_000;
const DELAY_FACTOR = 8;
/** As many as one list has at most, unless the service is set otherwise. */
const MAX_REMEMBERED = 100_000;

/** Which articles were tried, so that a dead page is not asked for again and again: after 1 minute, 8, 64, … and six times at most. */
export class Attempts {
  readonly #tried = new LRUCache<string, { count: number; notBefore: number }>({ max: MAX_REMEMBERED });
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  isDue(id: string): boolean {
    const { count, notBefore } = this.#tried.get(id) ?? { count: 0, notBefore: 0 };
    return count < MAX_ATTEMPTS && this.#now() >= notBefore;
  }

  /** Notes an attempt, whatever comes of it. */
  note(id: string): void {
    const count = (this.#tried.get(id)?.count ?? 0) + 1;
    this.#tried.set(id, { count, notBefore: this.#now() + FIRST_DELAY_MS * DELAY_FACTOR ** (count - 1) });
  }
}
