import { ApiError } from './protocol/api-error.js';

/** How many slots there are, and who may wait for one. */
export interface SemaphoreLimits {
  /** Slots in all; no limit by default. */
  slots?: number;
  /** Slots that callers with the same key, such as one user's requests, may use; no limit by default. */
  slotsPerKey?: number;
  /** Callers with the same key that may wait; no limit by default. */
  waitingPerKey?: number;
  /** How long a caller waits before it is refused. */
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
  slots: number;
  arrival: number;
  admit: () => void;
}

interface Share {
  used: number;
  readonly waiters: Waiter[];
}

/** Admits a limited number of callers at a time, in all and per key; the others wait in order of arrival. */
export class Semaphore {
  waiting = 0;
  private used = 0;
  private arrivals = 0;
  private readonly shares = new Map<string, Share>();
  private readonly slots: number;
  private readonly slotsPerKey: number;

  constructor(private readonly limits: SemaphoreLimits) {
    this.slots = limits.slots ?? Infinity;
    this.slotsPerKey = Math.min(limits.slotsPerKey ?? Infinity, this.slots);
  }

  /**
   * Takes slots, at most as many as one key may use. Rejects with 503 / 201 when they do not become free in time, too
   * many wait, or the signal fires first. Afterwards whoever has the slots releases them, whatever the signal.
   */
  async acquire(key: string, caller: SlotCaller = {}, slots = 1): Promise<Release> {
    const wanted = Math.min(slots, this.slotsPerKey);
    const share = this.shareOf(key);
    if (this.mayPass(share, wanted)) this.take(share, wanted);
    else await this.wait(key, share, wanted, caller);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.used -= wanted;
      share.used -= wanted;
      this.forget(key, share);
      this.admitWaiters();
    };
  }

  /** True if a caller with this key has a slot. */
  isUsedBy(key: string): boolean {
    return (this.shares.get(key)?.used ?? 0) > 0;
  }

  /** How many wait for others with the same key. */
  get queued(): number {
    if (this.waiting === 0) return 0;
    const shares = [...this.shares.values()];
    const isFull = ({ used, waiters: [first] }: Share) => first !== undefined && used + first.slots > this.slotsPerKey;
    return shares.filter(isFull).reduce((count, { waiters }) => count + waiters.length, 0);
  }

  /** Runs `work` with slots. */
  async run<T>(key: string, caller: SlotCaller, work: () => Promise<T>, slots = 1): Promise<T> {
    const release = await this.acquire(key, caller, slots);
    try {
      return await work();
    } finally {
      release();
    }
  }

  private shareOf(key: string): Share {
    let share = this.shares.get(key);
    if (!share) this.shares.set(key, (share = { used: 0, waiters: [] }));
    return share;
  }

  private forget(key: string, share: Share): void {
    // Whoever had no slots may come after all others, when the key has a new share.
    if (share.used === 0 && share.waiters.length === 0 && this.shares.get(key) === share) this.shares.delete(key);
  }

  /** True if the slots are free and nobody waits who came first. */
  private mayPass({ used, waiters }: Share, slots: number): boolean {
    const isFree = used + slots <= this.slotsPerKey && this.used + slots <= this.slots;
    return isFree && (this.waiting === 0 || (waiters.length === 0 && !this.firstWithinItsShare()));
  }

  private take(share: Share, slots: number): void {
    this.used += slots;
    share.used += slots;
  }

  private wait(key: string, share: Share, slots: number, { signal }: SlotCaller): Promise<void> {
    if (signal?.aborted || share.waiters.length >= (this.limits.waitingPerKey ?? Infinity)) {
      this.forget(key, share);
      return Promise.reject(this.refused());
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        share.waiters.splice(share.waiters.indexOf(waiter), 1);
        this.waiting--;
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      };
      const admit = (): void => {
        leave();
        this.take(share, slots);
        resolve();
      };
      const giveUp = (): void => {
        leave();
        this.forget(key, share);
        reject(this.refused());
        this.admitWaiters();
      };
      const waiter: Waiter = { slots, arrival: this.arrivals++, admit };
      const timer = setTimeout(giveUp, this.limits.timeoutMs);
      signal?.addEventListener('abort', giveUp);
      share.waiters.push(waiter);
      this.waiting++;
    });
  }

  private refused(): ApiError {
    return new ApiError('unavailable', this.limits.refusal);
  }

  /** Nobody overtakes a caller that only the slots in all are missing for, or it might never get that many. */
  private admitWaiters(): void {
    while (this.waiting > 0) {
      const first = this.firstWithinItsShare();
      if (!first || this.used + first.slots > this.slots) return;
      first.admit();
    }
  }

  private firstWithinItsShare(): Waiter | undefined {
    let first: Waiter | undefined;
    for (const { used, waiters } of this.shares.values()) {
      const [next] = waiters;
      if (!next || used + next.slots > this.slotsPerKey) continue;
      if (!first || next.arrival < first.arrival) first = next;
    }
    return first;
  }
}
