import { Inject, Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** Why a poll is no longer held: something changed, it timed out, the service released it, or the client disconnected. */
export type Ending = 'changed' | 'timedOut' | 'released' | 'abandoned';

/** A poll that is held or about to be. */
export interface HeldPoll {
  key: string;
  /** The latest timestamp that was announced since it entered. */
  announced: Timestamp;
  timer: NodeJS.Timeout;
  ending?: Ending;
  held?: { since: Timestamp; end: (ending: Ending) => void };
}

/** The held polls. One enters before it looks for changes: what is announced during the look ends the hold at once. */
@Injectable()
export class HeldPolls {
  /** How polls ended so far, and how many were not held. */
  readonly counts = { changed: 0, timedOut: 0, released: 0, abandoned: 0, refused: 0 };
  private readonly byAccount = new Map<string, Set<HeldPoll>>();
  private readonly all = new Set<HeldPoll>();

  constructor(@Inject(Settings) private readonly settings: Pick<Settings, 'waitingPerUser' | 'waitingMax'>) {}

  get size(): number {
    return this.all.size;
  }

  accounts(): string[] {
    return [...this.byAccount.keys()];
  }

  /** Enters a poll for at most `ms` milliseconds; undefined when the user or the process has too many. Call `leave`. */
  enter(key: string, ms: number): HeldPoll | undefined {
    const others = this.byAccount.get(key) ?? new Set();
    if (others.size >= this.settings.waitingPerUser || this.size >= this.settings.waitingMax) {
      this.counts.refused++;
      return undefined;
    }
    const poll: HeldPoll = { key, announced: -Infinity, timer: setTimeout(() => this.end(poll, 'timedOut'), ms) };
    this.byAccount.set(key, others.add(poll));
    this.all.add(poll);
    return poll;
  }

  leave(poll: HeldPoll): void {
    const others = this.byAccount.get(poll.key);
    if (!others?.delete(poll)) return;
    if (poll.held && poll.ending) this.counts[poll.ending]++;
    if (others.size === 0) this.byAccount.delete(poll.key);
    this.all.delete(poll);
    clearTimeout(poll.timer);
  }

  /** Holds a poll that found nothing newer than `since`. */
  hold(poll: HeldPoll, since: Timestamp): Promise<Ending> {
    return new Promise((end) => {
      poll.held = { since, end };
      if (poll.ending) end(poll.ending);
      else if (poll.announced > since) this.end(poll, 'changed');
    });
  }

  /** Wakes the polls of an account whose collection has reached a timestamp that is new to them. */
  announce(key: string, last_modified: Timestamp): void {
    for (const poll of this.byAccount.get(key) ?? []) {
      poll.announced = Math.max(poll.announced, last_modified);
      if (poll.held && poll.announced > poll.held.since) this.end(poll, 'changed');
    }
  }

  /** Ends a poll; a look in progress is completed first. */
  end(poll: HeldPoll, ending: Ending): void {
    if (poll.ending || !this.all.has(poll)) return;
    poll.ending = ending;
    poll.held?.end(ending);
  }

  /** Ends up to `count` polls, those that were held longest first. */
  release(count: number): void {
    const waiting = [...this.all].filter(({ ending }) => ending === undefined);
    for (const poll of waiting.slice(0, Math.ceil(count))) this.end(poll, 'released');
  }
}
