import { Redis } from 'ioredis';

const CONNECT_TIMEOUT_MS = 1_000;
const COMMAND_TIMEOUT_MS = 250;
const MAX_RECONNECT_PAUSE_MS = 2_000;

/**
 * A client that never makes a request wait: without a connection its commands fail at once, a slow answer counts as none, and
 * it goes on reconnecting by itself.
 */
export function createRedis(url: string, log: { warn(message: string): void }): Redis {
  const redis = new Redis(url, {
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: COMMAND_TIMEOUT_MS,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: (times) => Math.min(times * 50, MAX_RECONNECT_PAUSE_MS),
  });
  let reported = false;
  redis.on('error', (error: Error) => {
    if (!reported) log.warn(`redis not available, going on without: ${error.message}`);
    reported = true;
  });
  redis.on('ready', () => (reported = false));
  return redis;
}

/** True when Redis answers. Never rejects, and answers within the time limit of a command. */
export const isRedisUp = (redis: Redis): Promise<boolean> =>
  redis.ping().then(
    () => true,
    () => false,
  );
