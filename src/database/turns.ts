import type { Tally } from './session.js';
import { unavailable } from './unavailable.js';

interface Waiting {
  resolve: () => void;
  timer: NodeJS.Timeout;
}

/**
 * Runs at most `limit` tasks of one account at a time; further ones wait in order of arrival. However many requests one
 * user sends, the database stays free for others.
 */
export class Turns {
  /** How many tasks wait for their turn. */
  queued = 0;
  private readonly busy = new Map<string, { running: number; queue: Waiting[] }>();

  constructor(
    private readonly limit: number,
    private readonly timeoutMs: number,
  ) {}

  /** Runs `work` when it is the account's turn. Rejects with 503 / 201 when that takes too long, or its client is gone. */
  async run<T>(tally: Tally, work: () => Promise<T>): Promise<T> {
    if (!tally.account) return work();
    const key = tally.account.toString('latin1');
    await this.enter(key, tally);
    try {
      return await work();
    } finally {
      this.leave(key);
    }
  }

  private enter(key: string, tally: Tally): Promise<void> | undefined {
    const turn = this.busy.get(key);
    if (!turn) {
      this.busy.set(key, { running: 1, queue: [] });
      return undefined;
    }
    if (turn.running < this.limit) {
      turn.running++;
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const giveUp = (reason: string): void => {
        const at = turn.queue.indexOf(waiting);
        if (at < 0) return;
        turn.queue.splice(at, 1);
        this.queued--;
        clearTimeout(waiting.timer);
        reject(unavailable(new Error(reason)));
      };
      const timer = setTimeout(() => giveUp('other requests of the same user took too long'), this.timeoutMs);
      const waiting = { resolve, timer };
      turn.queue.push(waiting);
      this.queued++;
      tally.whenOver?.(() => giveUp('the client is gone'));
    });
  }

  private leave(key: string): void {
    const turn = this.busy.get(key)!;
    const next = turn.queue.shift();
    if (next) {
      this.queued--;
      clearTimeout(next.timer);
      next.resolve();
    } else if (--turn.running === 0) this.busy.delete(key);
  }
}
