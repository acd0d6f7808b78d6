import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { accountOf, lastModifiedOf } from '../accounts/accounts.store.js';
import { CollectionClock } from '../accounts/collection-clock.js';
import { Database } from '../database/database.js';
import { SharedRedis } from '../redis/shared-redis.js';
import { HeldPolls } from './held-polls.js';

const CHANNEL = 'reading-list:changes';
const INTERVAL_MS = 1_000;
const MOST_IN_A_STATEMENT = 500;

/**
 * Wakes this process's polls when something changes, here or on another instance. Instances tell each other through Redis
 * (an account's key and timestamp). As messages may be lost or not sent, the database is queried once a second, too.
 */
@Injectable()
export class ChangesElsewhere implements OnApplicationBootstrap, OnApplicationShutdown {
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
  }

  onApplicationBootstrap(): void {
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
    const found = await this.database.onSession((session) => lastModifiedOf(session, keys.map(accountOf)));
    // A missing account was erased: the next read creates a new collection and tells the device to start over.
    for (const key of keys) this.polls.announce(key, found.get(key) ?? Infinity);
  }
}
