import type { Redis } from 'ioredis';
import type { TokenStore } from './shared-results.js';

const PREFIX = 'reading-list:';

/** Shares results of token checks through Redis. Rejects at once while Redis is away. */
export const redisTokenStore = (redis: Redis): TokenStore => ({
  get: async (key) => (await redis.get(PREFIX + key)) ?? undefined,
  set: async (key, value, ttlMs) => void (await redis.set(PREFIX + key, value, 'PX', Math.ceil(ttlMs))),
});
