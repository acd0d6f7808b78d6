import { Global, Inject, Injectable, Logger, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { createRedis } from './redis.js';

/** Injection token of the ioredis client; undefined without `REDIS_URL`. */
export const REDIS = Symbol('Redis');

@Injectable()
class RedisCloser implements OnApplicationShutdown {
  constructor(@Inject(REDIS) private readonly redis: Redis | undefined) {}

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }
}

/** What instances share, where `REDIS_URL` is set. */
@Global()
@Module({
  providers: [
    {
      provide: REDIS,
      useFactory: ({ redisUrl }: Settings) => redisUrl && createRedis(redisUrl, new Logger('Redis')),
      inject: [SETTINGS],
    },
    RedisCloser,
  ],
  exports: [REDIS],
})
export class RedisModule {}
