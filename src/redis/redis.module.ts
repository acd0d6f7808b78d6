import { Global, Module } from '@nestjs/common';
import { SETTINGS } from '../config/config.module.js';
import { connectRedis, SharedRedis } from './shared-redis.js';

/** What instances share, where `REDIS_URL` is set. */
@Global()
@Module({
  providers: [{ provide: SharedRedis, useFactory: connectRedis, inject: [SETTINGS] }],
  exports: [SharedRedis],
})
export class RedisModule {}
