import { Global, Module } from '@nestjs/common';
import { SETTINGS } from '../config/settings.module.js';
import { SharedRedis } from '../redis/shared-redis.js';
import { createRateLimiter, RateLimiter } from './rate-limiter.js';

@Global()
@Module({
  providers: [{ provide: RateLimiter, useFactory: createRateLimiter, inject: [SETTINGS, SharedRedis] }],
  exports: [RateLimiter],
})
export class RateLimitModule {}
