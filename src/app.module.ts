import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ArticlesModule } from './articles/articles.module.js';
import { AuthGuard } from './auth/auth.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { BatchModule } from './batch/batch.module.js';
import { type Clock, ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { DocsModule } from './docs/docs.module.js';
import { HealthModule } from './health/health.module.js';
import { ApiErrorFilter } from './http/api-error.filter.js';
import { EndOfServiceGuard } from './http/end-of-service.guard.js';
import { HttpModule } from './http/http.module.js';
import type { ServiceStatus } from './http/service-status.js';
import { PurgeModule } from './purge/purge.module.js';
import { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
import { RateLimitModule } from './rate-limit/rate-limit.module.js';
import { RedisModule } from './redis/redis.module.js';
import { RootModule } from './root/root.module.js';

/** All modules, the busiest routes first, and what runs for every request in running order. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings, clock: Clock, status: ServiceStatus): DynamicModule {
    const auth = AuthModule.forRoot(settings);
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(settings, clock),
        HttpModule.forRoot(status),
        DatabaseModule,
        RedisModule,
        RateLimitModule,
        ArticlesModule,
        BatchModule,
        auth,
        HealthModule.with(auth),
        PurgeModule,
        RootModule,
        DocsModule.with(auth),
      ],
      providers: [
        { provide: APP_GUARD, useClass: EndOfServiceGuard },
        { provide: APP_GUARD, useClass: AuthGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_FILTER, useClass: ApiErrorFilter },
      ],
    };
  }
}
