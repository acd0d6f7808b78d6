import { type Release, Semaphore } from '../../semaphore.js';
import type { Tally } from '../session.js';
import type { SqliteWriter } from './writer.js';

/** After a longer transaction, other users go first for as long as it took. */
const LONG_WRITE_MS = 50;
/** Callers wait elsewhere too, and still need a response within ten seconds. */
const LIMITS = { timeoutMs: 2_500, refusal: 'Other requests take too long; try again later' };

/**
 * Lets transactions that may be long, as batches are, run one at a time, with at most one of each user waiting: beside
 * those of four slow users, single records take half a second instead of more than four.
 */
export class LongWrites {
  readonly all = new Semaphore({ ...LIMITS, slots: 1 });
  readonly perUser = new Semaphore({ ...LIMITS, slotsPerKey: 1 });

  /** Begins a transaction in its turn; resolves with what ends that. */
  async begin(writer: SqliteWriter, caller: Tally): Promise<Release> {
    const user = await this.perUser.acquire(caller.key ?? '', caller);
    let all: Release | undefined;
    try {
      all = await this.all.acquire('', caller);
      await writer.begin();
    } catch (error) {
      all?.();
      user();
      throw error;
    }
    const start = performance.now();
    return () => {
      const tookMs = performance.now() - start;
      if (tookMs > LONG_WRITE_MS) {
        // What others wait to write is made durable before the next long one.
        setImmediate(all);
        setTimeout(user, tookMs).unref();
      } else {
        all();
        user();
      }
    };
  }
}
