import { Global, Module } from '@nestjs/common';
import { SETTINGS } from '../config/settings.module.js';
import { connectRedis, SharedRedis } from './shared-redis.js';

/** The Redis that instances share, if `REDIS_URL` is set. */
@Global()
@Module({
  providers: [{ provide: SharedRedis, useFactory: connectRedis, inject: [SETTINGS] }],
  exports: [SharedRedis],
})
export class RedisModule {}
