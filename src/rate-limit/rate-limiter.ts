import { Inject, Injectable } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { REDIS } from '../redis/redis.module.js';

const WINDOW_SECONDS = 60;

/**
 * Counts requests in windows of a minute: in Redis for all instances together, in memory without Redis or while it is away.
 */
@Injectable()
export class RateLimiter {
  private readonly limiter?: RateLimiterAbstract;

  constructor(@Inject(SETTINGS) { rateLimitPerMinute: points }: Settings, @Inject(REDIS) redis: Redis | undefined) {
    if (points === 0) return;
    const memory = new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
    this.limiter = redis
      ? new RateLimiterRedis({
          storeClient: redis,
          keyPrefix: 'reading-list:rate',
          points,
          duration: WINDOW_SECONDS,
          insuranceLimiter: memory,
          rejectIfRedisNotReady: true,
        })
      : memory;
  }

  get isOn(): boolean {
    return this.limiter !== undefined;
  }

  /**
   * Counts one request of `who`. Throws 429 / 117 with `Retry-After` (seconds to the next window) beyond the limit.
   */
  async take(who: string): Promise<void> {
    try {
      await this.limiter?.consume(who);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      throw new ApiError('tooManyRequests', 'Too many requests', { 'Retry-After': String(seconds) });
    }
  }
}
