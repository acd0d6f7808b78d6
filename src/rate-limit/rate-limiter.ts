import { Global, Module } from '@nestjs/common';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { SharedRedis } from '../redis/shared-redis.js';

const WINDOW_SECONDS = 60;

/** The limiter for `RATE_LIMIT_PER_MINUTE`; with 0 its library is not loaded. */
export async function createRateLimiter(
  { rateLimitPerMinute: points }: Settings,
  { client }: SharedRedis,
): Promise<RateLimiter> {
  if (points === 0) return new RateLimiter();
  const { RateLimiterRedis } = await import('rate-limiter-flexible');
  const { MemoryLimiter } = await import('./memory-limiter.js');
  const limit = { points, duration: WINDOW_SECONDS };
  const own = new MemoryLimiter(limit);
  if (!client) return new RateLimiter(own);
  const shared = { storeClient: client, keyPrefix: 'reading-list:rate', rejectIfRedisNotReady: true };
  return new RateLimiter(new RateLimiterRedis({ ...limit, ...shared, insuranceLimiter: own }));
}

/** Counts requests in windows of a minute: in Redis across all instances, in memory without it or while it is away. */
export class RateLimiter {
  /** @param limiter undefined if there is no limit */
  constructor(private readonly limiter?: RateLimiterAbstract) {}

  get isOn(): boolean {
    return this.limiter !== undefined;
  }

  /** Counts one request of `who`. Throws 429 / 117 with `Retry-After` (seconds to the next window) beyond the limit. */
  async take(who: string): Promise<void> {
    try {
      await this.limiter?.consume(who);
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      // The in-memory window ends by the wall clock, which may have been set back.
      const seconds = Math.ceil((refusal as RateLimiterRes).msBeforeNext / 1000);
      const retryAfter = Math.min(WINDOW_SECONDS, Math.max(1, seconds));
      throw new ApiError('tooManyRequests', 'Too many requests', { 'Retry-After': String(retryAfter) });
    }
  }
}

@Global()
@Module({
  providers: [{ provide: RateLimiter, useFactory: createRateLimiter, inject: [Settings, SharedRedis] }],
  exports: [RateLimiter],
})
export class RateLimitModule {}
