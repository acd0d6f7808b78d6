import { type Release, Semaphore } from '../../semaphore.js';
import type { Tally } from '../session.js';
import type { Begin } from '../transaction.js';

/** After a longer transaction, other users go first for as long as it took. */
const LONG_WRITE_MS = 50;
/** Callers wait elsewhere too, and still need a response within ten seconds. */
const LIMITS = { timeoutMs: 2_500, refusal: 'Other requests take too long; try again later' };

/**
 * Runs transactions that may be long, as batches are, one at a time, with at most one of each user waiting. In between,
 * SQLite's only writer is free for single records: beside batches of four slow users, these take half a second instead of
 * more than four.
 */
export class LongWrites {
  private readonly all = new Semaphore({ ...LIMITS, slots: 1 });
  private readonly perUser = new Semaphore({ ...LIMITS, slotsPerKey: 1 });

  /** How many wait for other users, and for others of the same user. */
  usage(): { waiting: number; queued: number } {
    return { waiting: this.all.waiting, queued: this.perUser.waiting };
  }

  /** Runs `work`, whose transaction begins in its turn. */
  async run<T>(tally: Tally & { key: string }, begin: Begin, work: (begin: Begin) => Promise<T>): Promise<T> {
    const held: { user?: Release; all?: Release } = {};
    let start = Infinity;
    const beginInTurn = async (): Promise<void> => {
      held.user = await this.perUser.acquire(tally.key, tally);
      held.all = await this.all.acquire('', tally);
      await begin();
      start = performance.now();
    };
    try {
      return await work(beginInTurn);
    } finally {
      const tookMs = performance.now() - start;
      if (tookMs > LONG_WRITE_MS) {
        // What others wait to write is made durable before the next long one.
        setImmediate(held.all!);
        setTimeout(held.user!, tookMs).unref();
      } else {
        held.all?.();
        held.user?.();
      }
    }
  }
}
