import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Timestamp } from '../protocol/timestamp.js';
import { SharedRedis } from '../redis/shared-redis.js';
import { HeldPolls } from './held-polls.js';

const PREFIX = 'reading-list:changes:';
const LEAVE_MS = 1_000;

/**
 * Exchanges change announcements with other instances through Redis: one channel per account, with the timestamp as the
 * message. A lost message only costs a second, until `MissedChanges` finds the change; so nothing waits for Redis, and
 * errors do not matter.
 */
@Injectable()
export class RedisChanges implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly subscriber?: Redis;
  private readonly followed = new Set<string>();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly redis: SharedRedis,
    private readonly polls: HeldPolls,
  ) {
    this.subscriber = redis.client?.duplicate({ autoResubscribe: false });
    this.subscriber?.on('error', () => undefined);
    this.subscriber?.on('ready', () => this.followAll());
    this.subscriber?.on('message', (channel: string, message: string) =>
      this.polls.announce(channel.slice(PREFIX.length), Number(message)),
    );
  }

  onApplicationBootstrap(): void {
    if (this.subscriber) this.timer = setInterval(() => this.leaveUnused(), LEAVE_MS).unref();
  }

  publish(key: string, last_modified: Timestamp): void {
    if (this.redis.isUp) this.redis.client?.publish(PREFIX + key, String(last_modified)).catch(() => undefined);
  }

  /** Subscribes to the account's channel. */
  follow(key: string): void {
    if (this.subscriber?.status !== 'ready' || this.followed.has(key)) return;
    this.followed.add(key);
    this.subscriber.subscribe(PREFIX + key).catch(() => this.followed.delete(key));
  }

  /** Unsubscribes from accounts without polls. Called periodically rather than immediately, as devices come back. */
  private leaveUnused(): void {
    const unused = [...this.followed].filter((key) => !this.polls.hasPolls(key));
    if (unused.length === 0 || this.subscriber?.status !== 'ready') return;
    for (const key of unused) this.followed.delete(key);
    this.subscriber.unsubscribe(...unused.map((key) => PREFIX + key)).catch(() => undefined);
  }

  private followAll(): void {
    this.followed.clear();
    for (const key of this.polls.accounts()) this.follow(key);
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.subscriber?.disconnect();
  }
}
