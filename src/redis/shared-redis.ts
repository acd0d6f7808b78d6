import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Settings } from '../config/settings.js';

const CONNECT_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 250;
const MAX_RECONNECT_PAUSE_MS = 2_000;
/** How often Redis is tried while nobody else does, or may. */
const TRIAL_MS = 1_000;
/** After so many trials in a row without success the connection itself is suspect. */
const TRIALS_OF_A_CONNECTION = 5;
const TRIAL_KEY = 'reading-list:trial';

/** Rejects a command that nobody sent: Redis did not do the one before. */
export class RedisUnavailable extends Error {}

/** Redis at `REDIS_URL`; without it no driver is loaded. */
export async function connectRedis({ redisUrl }: Settings): Promise<SharedRedis> {
  if (redisUrl === undefined) return new SharedRedis();
  const { Redis } = await import('ioredis');
  const client = new Redis(redisUrl, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_PAUSE_MS),
  });
  return new SharedRedis(client);
}

/**
 * Redis, for what instances share; nobody depends on it. A slow answer counts as none. After a command that failed no other is
 * sent until a trial succeeds, once a second in the background: a Redis that hangs costs the requests of one moment a quarter
 * of a second, and all later ones nothing.
 */
export class SharedRedis implements OnApplicationShutdown {
  /** True while Redis does what it is asked: the outcome of the latest command. */
  isUp = false;
  private readonly logger = new Logger('Redis');
  private wasReported = false;
  private failedTrials = 0;
  private readonly timer?: NodeJS.Timeout;

  /** @param client undefined without `REDIS_URL` */
  constructor(readonly client?: Redis) {
    if (!client) return;
    client.on('error', (error: Error) => this.failed(error));
    client.on('close', () => this.failed(new Error('the connection was closed')));
    client.on('ready', () => void this.try());
    this.timer = setInterval(() => void this.try(), TRIAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.client?.disconnect();
  }

  /** Sends a command. Rejects at once with `RedisUnavailable` while Redis is not up. */
  async run<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.isUp || !this.client) throw new RedisUnavailable();
    return this.attempt(command, this.client);
  }

  /** True when Redis answers now. Reads only, never rejects, and takes no longer than a command. */
  async answers(): Promise<boolean> {
    return this.run((client) => client.ping()).then(
      () => true,
      () => false,
    );
  }

  /** A write, as reads go on where the memory is full or a replica has taken over. */
  private async try(): Promise<void> {
    const client = this.client!;
    try {
      await this.attempt(() => client.set(TRIAL_KEY, '1', 'PX', 60_000), client);
      this.failedTrials = 0;
      this.isUp = true;
      this.wasReported = false;
    } catch {
      // Half-open or stuck in its handshake: only a new connection shows.
      if (++this.failedTrials % TRIALS_OF_A_CONNECTION === 0) client.disconnect(true);
    }
  }

  private async attempt<T>(command: (client: Redis) => Promise<T>, client: Redis): Promise<T> {
    try {
      return await command(client);
    } catch (error) {
      this.failed(error as Error);
      throw error;
    }
  }

  private failed(error: Error): void {
    this.isUp = false;
    if (!this.wasReported) this.logger.warn(`redis not available, going on without: ${error.message}`);
    this.wasReported = true;
  }
}
