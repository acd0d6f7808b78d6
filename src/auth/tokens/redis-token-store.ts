import type { SharedRedis } from '../../redis/shared-redis.js';
import type { TokenStore } from './shared-results.js';

const PREFIX = 'reading-list:';

/** Shares results of token checks through Redis. Rejects immediately while Redis is unavailable. */
export const redisTokenStore = (redis: SharedRedis): TokenStore => ({
  get: async (key) => (await redis.run((client) => client.get(PREFIX + key))) ?? undefined,
  set: async (key, value, ttlMs) =>
    void (await redis.run((client) => client.set(PREFIX + key, value, 'PX', Math.ceil(ttlMs)))),
});
