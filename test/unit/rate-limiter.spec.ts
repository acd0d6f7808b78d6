import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Settings } from '../../src/config/settings.js';
import { createRateLimiter, type RateLimiter } from '../../src/rate-limit/rate-limiter.js';
import type { SharedRedis } from '../../src/redis/shared-redis.js';

const LIMIT = 3;
/** As many addresses as are counted one by one. */
const ADDRESSES = 100_000;

let limiter: RateLimiter;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  limiter = await createRateLimiter({ rateLimitPerMinute: LIMIT } as Settings, {} as SharedRedis);
});

afterEach(() => vi.useRealTimers());

const takes = (who: string): Promise<boolean> =>
  limiter.take(who).then(
    () => true,
    () => false,
  );

/** How many of some requests, one after the other, are taken. */
async function taken(...names: string[]): Promise<number> {
  let count = 0;
  for (const name of names) if (await takes(name)) count++;
  return count;
}

const addresses = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `address:${prefix}${at}`);

it('counts very many addresses together and forgets none that it knows', async () => {
  expect(await taken(...addresses('a', ADDRESSES))).toBe(ADDRESSES);
  expect(await taken(...addresses('b', 20))).toBe(LIMIT);
  expect(await taken(...Array<string>(LIMIT).fill('address:a7'))).toBe(LIMIT - 1);
  expect(await taken(...Array<string>(LIMIT + 1).fill('user:u'))).toBe(LIMIT);
  vi.advanceTimersByTime(60_001);
  expect(await taken(...addresses('b', 20))).toBe(20);
  expect(await taken(...Array<string>(LIMIT + 1).fill('address:c'))).toBe(LIMIT);
});
