import type { WaitingSettings } from '../config/settings.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { TimerWheel } from './timer-wheel.js';

/** Why a wait ended: something changed, it timed out, the service released it, or the client disconnected. */
export type Ending = 'changed' | 'timedOut' | 'released' | 'abandoned';

/**
 * How many woken waiters may query the database at once, so that a burst of changes does not become a storm of queries.
 */
const MAX_CHECKING = 32;

/** A request that is held or about to be. */
export class Waiter {
  /** The latest timestamp that was announced since its last check began. */
  announced = -Infinity;
  /** It was woken and occupies one of the `MAX_CHECKING` places. */
  isChecking = false;
  ending?: Exclude<Ending, 'changed'>;
  /** Set while it is held. */
  resume?: (ending: Ending) => void;

  constructor(
    readonly key: string,
    /** The collection's timestamp that it knows of. */
    public since: Timestamp,
  ) {}
}

/**
 * The held requests by account. A waiter first enters and then checks for changes, so that none is missed in between: a
 * change announced during the check makes it check again.
 */
export class WaitingRoom {
  /** How waits ended so far, and how many were refused. */
  readonly counts: Record<'woken' | 'timedOut' | 'released' | 'abandoned' | 'refused', number> = {
    woken: 0,
    timedOut: 0,
    released: 0,
    abandoned: 0,
    refused: 0,
  };
  /** Called with the account of each new waiter. */
  onEnter: (key: string) => void = () => undefined;

  private readonly byAccount = new Map<string, Set<Waiter>>();
  private readonly everyone = new Set<Waiter>();
  private readonly wheel: TimerWheel<Waiter>;
  /** Woken, and waiting for a place to check. */
  private readonly woken = new Set<Waiter>();
  private checking = 0;

  /** @param now milliseconds of a monotonic clock */
  constructor(
    private readonly bounds: WaitingSettings,
    private readonly now: () => number,
  ) {
    this.wheel = new TimerWheel(now());
  }

  get size(): number {
    return this.everyone.size;
  }

  /** The accounts that have waiters. */
  accounts(): string[] {
    return [...this.byAccount.keys()];
  }

  hasWaiters(key: string): boolean {
    return this.byAccount.has(key);
  }

  /**
   * Enters a waiter for at most `ms` milliseconds; undefined when the user or the process has too many. Call `leave`
   * afterwards.
   */
  enter(key: string, since: Timestamp, ms: number): Waiter | undefined {
    const others = this.byAccount.get(key) ?? new Set();
    if (others.size >= this.bounds.perUser || this.size >= this.bounds.max) {
      this.noteRefusal();
      return undefined;
    }
    const waiter = new Waiter(key, since);
    this.byAccount.set(key, others.add(waiter));
    this.everyone.add(waiter);
    this.wheel.add(waiter, this.now() + ms);
    this.onEnter(key);
    return waiter;
  }

  leave(waiter: Waiter): void {
    const others = this.byAccount.get(waiter.key);
    if (!others?.delete(waiter)) return;
    if (others.size === 0) this.byAccount.delete(waiter.key);
    this.everyone.delete(waiter);
    this.wheel.delete(waiter);
    this.woken.delete(waiter);
    this.stopChecking(waiter);
  }

  /**
   * Holds a waiter whose check found nothing new; resolves when it is time to check again or to give up.
   * @param seen the collection's timestamp in that check
   */
  async hold(waiter: Waiter, seen = waiter.since): Promise<Ending> {
    this.stopChecking(waiter);
    const ending = waiter.ending ?? (await this.nextEnding(waiter, seen));
    this.counts[ending === 'changed' ? 'woken' : ending]++;
    return ending;
  }

  private nextEnding(waiter: Waiter, seen: Timestamp): Promise<Ending> {
    waiter.since = seen;
    return new Promise((resolve) => {
      waiter.resume = resolve;
      if (waiter.announced > seen) this.wake(waiter);
    });
  }

  /** Counts a poll that may not be held at the moment. */
  noteRefusal(): void {
    this.counts.refused++;
  }

  /** Wakes the waiters of an account whose collection has reached a timestamp that is new to them. */
  announce(key: string, last_modified: Timestamp): void {
    for (const waiter of this.byAccount.get(key) ?? []) {
      if (waiter.ending) continue;
      waiter.announced = Math.max(waiter.announced, last_modified);
      if (waiter.resume && waiter.announced > waiter.since) this.wake(waiter);
    }
  }

  /** Ends a wait; a check in progress is completed first. */
  end(waiter: Waiter, ending: Exclude<Ending, 'changed'>): void {
    if (waiter.ending || !this.everyone.has(waiter)) return;
    waiter.ending = ending;
    this.wheel.delete(waiter);
    this.woken.delete(waiter);
    this.resume(waiter, ending);
  }

  /** Ends waits that have timed out. */
  endDue(): void {
    for (const waiter of this.wheel.takeDue(this.now())) this.end(waiter, 'timedOut');
  }

  /** Ends up to `count` waits, the longest first. */
  release(count: number): void {
    for (const waiter of this.everyone) {
      if (count <= 0) return;
      if (waiter.ending) continue;
      this.end(waiter, 'released');
      count--;
    }
  }

  private wake(waiter: Waiter): void {
    this.woken.add(waiter);
    this.resumeWoken();
  }

  private resumeWoken(): void {
    for (const waiter of this.woken) {
      if (this.checking >= MAX_CHECKING) return;
      this.woken.delete(waiter);
      waiter.announced = -Infinity;
      waiter.isChecking = true;
      this.checking++;
      this.resume(waiter, 'changed');
    }
  }

  private stopChecking(waiter: Waiter): void {
    if (!waiter.isChecking) return;
    waiter.isChecking = false;
    this.checking--;
    this.resumeWoken();
  }

  private resume(waiter: Waiter, ending: Ending): void {
    const { resume } = waiter;
    waiter.resume = undefined;
    resume?.(ending);
  }
}
