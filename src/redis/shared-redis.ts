import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Settings } from '../config/settings.js';

const CONNECT_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 250;
const MAX_RECONNECT_PAUSE_MS = 2_000;
/** How often Redis is probed. */
const PROBE_INTERVAL_MS = 1_000;
/** After this many failed probes in a row the connection itself is suspect. */
const PROBES_PER_CONNECTION = 5;
const PROBE_KEY = 'reading-list:trial';

/** The command was not sent because an earlier one failed. */
export class RedisUnavailable extends Error {}

/** Redis at `REDIS_URL`; without that, the driver is not loaded. */
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
 * Redis, for what instances share; nothing depends on it. A slow response counts as a failure. After a failed command
 * no other is sent until a background probe, once a second, succeeds: a hung Redis delays the requests of that moment by a
 * quarter of a second, and later ones not at all.
 */
export class SharedRedis implements OnApplicationShutdown {
  /** Whether the latest command succeeded. */
  isUp = false;
  private readonly logger = new Logger('Redis');
  private wasReported = false;
  private failedProbes = 0;
  private readonly timer?: NodeJS.Timeout;

  /** @param client undefined without `REDIS_URL` */
  constructor(readonly client?: Redis) {
    if (!client) return;
    client.on('error', (error: Error) => this.failed(error));
    client.on('close', () => this.failed(new Error('the connection was closed')));
    client.on('ready', () => void this.probe());
    this.timer = setInterval(() => void this.probe(), PROBE_INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.client?.disconnect();
  }

  /** Sends a command. Rejects immediately with `RedisUnavailable` while Redis is not up. */
  async run<T>(command: (client: Redis) => Promise<T>): Promise<T> {
    if (!this.isUp || !this.client) throw new RedisUnavailable();
    return this.attempt(command, this.client);
  }

  /** True when Redis responds to a ping. Never rejects, and takes no longer than a command. */
  async isReachable(): Promise<boolean> {
    return this.run((client) => client.ping()).then(
      () => true,
      () => false,
    );
  }

  /** A write, because reads still succeed when memory is full or the server has become a replica. */
  private async probe(): Promise<void> {
    const client = this.client!;
    try {
      await this.attempt(() => client.set(PROBE_KEY, '1', 'PX', 60_000), client);
      this.failedProbes = 0;
      this.isUp = true;
      this.wasReported = false;
    } catch {
      // The connection may be half-open or stuck in its handshake: only a new one will tell.
      if (++this.failedProbes % PROBES_PER_CONNECTION === 0) client.disconnect(true);
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
    if (!this.wasReported) this.logger.warn(`redis not available, continuing without it: ${error.message}`);
    this.wasReported = true;
  }
}
