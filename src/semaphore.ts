import { setImmediate as othersHadTurn } from 'node:timers/promises';
import { ApiError } from './protocol/api-error.js';

/** Limits in all, and for callers with the same key, such as one user's requests; none where a number is missing. */
export interface SemaphoreLimits {
  slots?: number;
  slotsPerKey?: number;
  waitingPerKey?: number;
  timeoutMs: number;
  refusal: string;
}

/** Gives slots back; calling it again does nothing. */
export type Release = () => void;

/** A caller whose signal fires when nobody needs its slot any more; the signal is read only if it has to wait. */
export interface SlotCaller {
  readonly signal?: AbortSignal;
}

interface Waiter {
  arrival: number;
  slots: number;
  admit: () => void;
}

/** Admits a limited number of callers at a time, in all and per key; the others wait in order of arrival. */
export class Semaphore {
  waiting = 0;
  private arrivals = 0;
  private used = 0;
  private readonly usedBy = new Map<string, number>();
  private readonly queues = new Map<string, Set<Waiter>>();
  private readonly slots = this.limits.slots ?? Infinity;
  private readonly slotsPerKey = Math.min(this.limits.slotsPerKey ?? Infinity, this.slots);

  constructor(private readonly limits: SemaphoreLimits) {}

  /**
   * Takes slots, at most as many as one key may use. Rejects with 503 / 201 when they do not become free in time, too
   * many wait, or the signal fires first. Afterwards whoever has the slots releases them, whatever the signal.
   */
  async acquire(key: string, caller: SlotCaller = {}, slots = 1): Promise<Release> {
    let wanted = Math.min(slots, this.slotsPerKey);
    // Without a limit on all slots, others with the same key alone may come first.
    const isBehind = this.slots === Infinity ? this.queues.has(key) : this.waiting > 0;
    if (!isBehind && this.hasLeft(key, wanted) && this.used + wanted <= this.slots) this.take(key, wanted);
    else await this.wait(key, wanted, caller);
    return () => {
      this.take(key, -wanted);
      wanted = 0;
      this.admitWaiters();
    };
  }

  isUsedBy(key: string): boolean {
    return this.usedBy.has(key);
  }

  /** How many wait for others with the same key. */
  get queued(): number {
    let queued = 0;
    for (const [key, queue] of this.queues) {
      const [first] = queue;
      if (!this.hasLeft(key, first!.slots)) queued += queue.size;
    }
    return queued;
  }

  async run<T>(key: string, caller: SlotCaller, work: () => Promise<T>): Promise<T> {
    const release = await this.acquire(key, caller);
    return Promise.resolve().then(work).finally(release);
  }

  private hasLeft(key: string, slots: number): boolean {
    return (this.usedBy.get(key) ?? 0) + slots <= this.slotsPerKey;
  }

  private take(key: string, slots: number): void {
    this.used += slots;
    const used = (this.usedBy.get(key) ?? 0) + slots;
    if (used > 0) this.usedBy.set(key, used);
    else this.usedBy.delete(key);
  }

  private wait(key: string, slots: number, { signal }: SlotCaller): Promise<void> {
    const { timeoutMs, waitingPerKey = Infinity, refusal } = this.limits;
    const refused = () => new ApiError('unavailable', refusal);
    const queue = this.queues.get(key) ?? new Set();
    if (signal?.aborted || queue.size >= waitingPerKey) return Promise.reject(refused());
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        queue.delete(waiter);
        if (queue.size === 0) this.queues.delete(key);
        this.waiting--;
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const admit = (): void => {
        leave();
        this.take(key, slots);
        resolve();
      };
      const giveUp = (): void => {
        leave();
        reject(refused());
        this.admitWaiters();
      };
      const waiter: Waiter = { arrival: this.arrivals++, slots, admit };
      const timer = setTimeout(giveUp, timeoutMs);
      signal?.addEventListener('abort', giveUp);
      this.queues.set(key, queue.add(waiter));
      this.waiting++;
      this.admitWaiters();
    });
  }

  /** Nobody overtakes a caller with the same key, or one that only the total holds up: it might never get its slots. */
  private admitWaiters(): void {
    for (;;) {
      const next = this.nextWaiter();
      if (!next || this.used + next.slots > this.slots) return;
      next.admit();
    }
  }

  /** The first to arrive of those whose key may use more slots. */
  private nextWaiter(): Waiter | undefined {
    let next: Waiter | undefined;
    for (const [key, [first]] of this.queues)
      if (this.hasLeft(key, first!.slots) && (!next || first!.arrival < next.arrival)) next = first;
    return next;
  }
}

/** Gives each caller a turn of the event loop of its own, in order of arrival, for work that is long and synchronous. */
export class Turns {
  private latest: Promise<void> = Promise.resolve();

  next(): Promise<void> {
    return (this.latest = this.latest.then(() => othersHadTurn()));
  }
}
