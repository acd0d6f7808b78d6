import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { accountOf, keyOf, lastModifiedOf } from '../accounts/accounts.store.js';
import { CollectionClock } from '../accounts/collection-clock.js';
import { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { SharedRedis } from '../redis/shared-redis.js';

const CHANNEL = 'reading-list:changes';
const INTERVAL_MS = 1_000;
const MOST_IN_A_STATEMENT = 500;

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
    const timer = setTimeout(() => this.end(poll, 'timedOut'), ms);
    const poll: HeldPoll = { key, announced: -Infinity, timer };
    this.byAccount.set(key, others.add(poll));
    this.all.add(poll);
    return poll;
  }

  leave(poll: HeldPoll): void {
    const others = this.byAccount.get(poll.key);
    if (!others?.delete(poll)) return;
    if (others.size === 0) this.byAccount.delete(poll.key);
    this.all.delete(poll);
    clearTimeout(poll.timer);
  }

  /** Holds a poll that found nothing newer than `since`. */
  async hold(poll: HeldPoll, since: Timestamp): Promise<Ending> {
    if (poll.announced > since) this.end(poll, 'changed');
    const ending = poll.ending ?? (await new Promise<Ending>((end) => (poll.held = { since, end })));
    this.counts[ending]++;
    return ending;
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

/**
 * Wakes this process's polls when something changes, here or on another instance. Instances tell each other through Redis
 * (an account's key and timestamp). As messages may be lost or not sent, the database is queried once a second, too.
 */
@Injectable()
export class ChangesElsewhere implements OnApplicationShutdown {
  private readonly subscriber?: Redis;
  private readonly closing = new AbortController();

  constructor(
    collections: CollectionClock,
    redis: SharedRedis,
    private readonly database: Database,
    private readonly polls: HeldPolls,
  ) {
    collections.announce = (key, last_modified) => {
      polls.announce(key, last_modified);
      if (redis.isUp) redis.client?.publish(CHANNEL, `${key} ${last_modified}`).catch(() => undefined);
    };
    this.subscriber = redis.client?.duplicate({ autoResubscribe: false });
    this.subscriber?.on('error', () => undefined);
    this.subscriber?.on('ready', () => void this.subscriber?.subscribe(CHANNEL).catch(() => undefined));
    this.subscriber?.on('message', (_, message: string) => {
      const [key, last_modified] = message.split(' ') as [string, string];
      this.polls.announce(key, Number(last_modified));
    });
    void this.run();
  }

  onApplicationShutdown(): void {
    this.closing.abort();
    this.subscriber?.disconnect();
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted)
      try {
        await sleep(INTERVAL_MS, undefined, { ref: false, signal });
        const keys = this.polls.accounts();
        while (keys.length > 0) await this.look(keys.splice(0, MOST_IN_A_STATEMENT));
      } catch {
        // The database is unavailable; polls time out anyway.
      }
  }

  private async look(keys: string[]): Promise<void> {
    const rows = await this.database.onSession((session) => lastModifiedOf(session, keys.map(accountOf)));
    const found = new Map(rows.map(({ account, last_modified }) => [keyOf(account), last_modified]));
    // A missing account was erased: the next read creates a new collection and tells the device to start over.
    for (const key of keys) this.polls.announce(key, found.get(key) ?? Infinity);
  }
}
