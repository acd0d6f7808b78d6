import type { Redis } from 'ioredis';
import type { TokenStore } from './shared-results.js';

const PREFIX = 'reading-list:';

/** Shares results of token checks through Redis. Rejects after its time limit, or at once without a connection. */
export const redisTokenStore = (client: Redis): TokenStore => ({
  get: async (key) => (await client.get(PREFIX + key)) ?? undefined,
  set: async (key, value, ttlMs) => void (await client.set(PREFIX + key, value, 'PX', Math.ceil(ttlMs))),
});
