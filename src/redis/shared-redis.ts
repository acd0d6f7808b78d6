import { once } from 'node:events';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis, RedisOptions } from 'ioredis';
import { parseSentinelUrl } from '../config/formats.js';
import { SettingError, type Settings } from '../config/settings.js';

const CONNECT_TIMEOUT_MS = 1_000;

/** A command ends within a quarter of a second. Without a reply the connection ends too, and others fail at once. */
const OPTIONS: RedisOptions = {
  connectTimeout: CONNECT_TIMEOUT_MS,
  commandTimeout: 250,
  socketTimeout: 1_000,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  sentinelCommandTimeout: CONNECT_TIMEOUT_MS,
  sentinelRetryStrategy: (times) => Math.min(times * 50, 2_000),
  // After a failover the former master is a replica.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
};

const ADVICE: Readonly<Record<string, string>> = {
  cluster:
    'Redis Cluster is not supported, nor needed for the little that is kept there; name a single Redis, or Sentinels',
  sentinel: 'this server is a Sentinel; write redis-sentinel://HOST:PORT/MASTER',
};

/** Redis at `REDIS_URL`, if set. Rejects with `SettingError` for a server of another kind; one that is down is no error. */
export async function connectRedis({ redisUrl }: Settings): Promise<SharedRedis> {
  if (redisUrl === undefined) return new SharedRedis();
  const { Redis } = await import('ioredis');
  const master = parseSentinelUrl(redisUrl);
  const client = master ? new Redis({ ...master, ...OPTIONS }) : new Redis(redisUrl, OPTIONS);
  const redis = new SharedRedis(client);
  const advice = ADVICE[(await modeOf(client)) ?? ''];
  if (advice === undefined) return redis;
  redis.onApplicationShutdown();
  throw new SettingError(`REDIS_URL: ${advice}`);
}

async function modeOf(client: Redis): Promise<string | undefined> {
  try {
    await once(client, 'ready', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
    return /^(?:redis|server)_mode:(\w+)/m.exec(await client.info('server'))?.[1];
  } catch {
    return undefined;
  }
}

/** Redis, for what instances share; nothing depends on it, and whoever uses it goes on when a command fails. */
export class SharedRedis implements OnApplicationShutdown {
  private readonly logger = new Logger('Redis');
  private wasReported = false;

  /** @param client undefined without `REDIS_URL` */
  constructor(readonly client?: Redis) {
    client?.on('error', (error: Error) => this.report(error.message));
    client?.on('close', () => this.report('the connection was closed'));
    client?.on('ready', () => (this.wasReported = false));
  }

  get isUp(): boolean {
    return this.client?.status === 'ready';
  }

  /** True when Redis responds to a ping, which takes no longer than any command. */
  async isReachable(): Promise<boolean> {
    return (await this.client!.ping().catch(() => undefined)) !== undefined;
  }

  onApplicationShutdown(): void {
    this.client?.disconnect();
  }

  private report(reason: string): void {
    if (!this.wasReported) this.logger.warn(`redis not available, continuing without it: ${reason}`);
    this.wasReported = true;
  }
}
