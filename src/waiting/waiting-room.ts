import type { WaitingSettings } from '../config/settings.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { TimerWheel } from './timer-wheel.js';

/** Why a wait ended: something changed, its time was over, the service wanted it, the client hung up. */
export type Ending = 'changed' | 'timedOut' | 'released' | 'abandoned';

/** How many of those that were woken look at the database at once; without a bound one poll's findings would be a storm. */
const MOST_LOOKING = 32;

/** A request that is held, or is about to be. */
export class Waiter {
  /** Something changed since it last began to look. */
  isStale = false;
  /** It was woken and has one of the places of those who look. */
  isLooking = false;
  ending?: Exclude<Ending, 'changed'>;
  /** There while it is held. */
  resume?: (ending: Ending) => void;

  constructor(
    readonly key: string,
    readonly since: Timestamp,
  ) {}
}

/** By what the room knows an account. */
export const keyOf = (account: Buffer): string => account.toString('base64url');
export const accountOf = (key: string): Buffer => Buffer.from(key, 'base64url');

/**
 * The requests that are held, by account. Whoever wants to wait enters first and looks for changes then, so that none is
 * missed in between: what is announced while he looks makes him look again.
 */
export class WaitingRoom {
  /** How waits ended so far, and how many were refused for want of room. */
  readonly counts: Record<'woken' | 'timedOut' | 'released' | 'abandoned' | 'refused', number> = {
    woken: 0,
    timedOut: 0,
    released: 0,
    abandoned: 0,
    refused: 0,
  };
  /** Is told which account somebody enters for. */
  onEnter: (key: string) => void = () => undefined;

  private readonly byAccount = new Map<string, Set<Waiter>>();
  private readonly everyone = new Set<Waiter>();
  private readonly wheel: TimerWheel<Waiter>;
  /** Woken, and waiting for a place among those who look. */
  private readonly woken = new Set<Waiter>();
  private looking = 0;

  /** @param now milliseconds on a clock that never goes back */
  constructor(
    private readonly bounds: WaitingSettings,
    private readonly now: () => number,
  ) {
    this.wheel = new TimerWheel(now());
  }

  get size(): number {
    return this.everyone.size;
  }

  /** The accounts of those who wait. */
  accounts(): string[] {
    return [...this.byAccount.keys()];
  }

  isWaitedFor(key: string): boolean {
    return this.byAccount.has(key);
  }

  /** A place for at most `ms` milliseconds; undefined when the user or the process has no more. It has to be left. */
  enter(key: string, since: Timestamp, ms: number): Waiter | undefined {
    const others = this.byAccount.get(key) ?? new Set();
    if (others.size >= this.bounds.perUser || this.size >= this.bounds.max) {
      this.counts.refused++;
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
    this.stopLooking(waiter);
  }

  /** Resolves when it is time to look again, or to give up. To be called by who found nothing new. */
  hold(waiter: Waiter): Promise<Ending> {
    this.stopLooking(waiter);
    if (waiter.ending) return Promise.resolve(waiter.ending);
    return new Promise((resolve) => {
      waiter.resume = resolve;
      if (waiter.isStale) this.wake(waiter);
    });
  }

  /** The collection of the account has reached a timestamp: for whoever waits for anything earlier, there is news. */
  announce(key: string, last_modified: Timestamp): void {
    for (const waiter of this.byAccount.get(key) ?? []) {
      if (last_modified <= waiter.since || waiter.ending) continue;
      waiter.isStale = true;
      if (waiter.resume) this.wake(waiter);
    }
  }

  /** Ends a wait; who is looking just now finishes that. */
  end(waiter: Waiter, ending: Exclude<Ending, 'changed'>): void {
    if (waiter.ending || !this.everyone.has(waiter)) return;
    waiter.ending = ending;
    this.wheel.delete(waiter);
    this.woken.delete(waiter);
    this.resume(waiter, ending);
  }

  /** Ends those whose time is over. */
  endDue(): void {
    for (const waiter of this.wheel.takeDue(this.now())) this.end(waiter, 'timedOut');
  }

  /** Ends a number of waits, the longest first. */
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
    this.fillPlaces();
  }

  private fillPlaces(): void {
    for (const waiter of this.woken) {
      if (this.looking >= MOST_LOOKING) return;
      this.woken.delete(waiter);
      waiter.isStale = false;
      waiter.isLooking = true;
      this.looking++;
      this.resume(waiter, 'changed');
    }
  }

  private stopLooking(waiter: Waiter): void {
    if (!waiter.isLooking) return;
    waiter.isLooking = false;
    this.looking--;
    this.fillPlaces();
  }

  private resume(waiter: Waiter, ending: Ending): void {
    const { resume } = waiter;
    waiter.resume = undefined;
    resume?.(ending);
  }
}
