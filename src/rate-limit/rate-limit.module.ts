import { Global, Module } from '@nestjs/common';
import { RateLimiter } from './rate-limiter.js';

/** How often one client may ask. */
@Global()
@Module({ providers: [RateLimiter], exports: [RateLimiter] })
export class RateLimitModule {}
