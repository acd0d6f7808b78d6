import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ArticlesModule } from './articles/articles.controller.js';
import { AuthGuard, ReadOnlyGuard } from './auth/auth.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { LoginModule } from './auth/login/oauth.controller.js';
import { BatchModule } from './batch/batch.controller.js';
import { type Now, NOW } from './config/now.js';
import { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { DocsModule } from './docs/docs.controller.js';
import { HealthModule } from './health/health.controller.js';
import { HeadersInterceptor } from './http/response/headers.interceptor.js';
import { ApiErrorFilter } from './http/response/api-error.filter.js';
import { MemorySlots } from './http/memory-slots.js';
import { KnownPaths } from './http/routing/unmatched.controller.js';
import { LoadMonitor } from './http/load-monitor.js';
import { EndOfServiceGuard, ServiceStatus } from './http/service-status.js';
import { PurgeModule } from './purge/purge-schedule.js';
import { createRateLimiter, RateLimiter, RateLimitGuard } from './rate-limit/rate-limiter.js';
import { connectRedis, SharedRedis } from './redis/shared-redis.js';
import { RootModule } from './root/root.controller.js';
import { PollingModule } from './polling/poll.service.js';
import { WebAppModule } from './web-app/web-app.controller.js';

/** What all modules may inject, besides the settings and the time. */
const SHARED = [ServiceStatus, LoadMonitor, KnownPaths, MemorySlots];

/** All modules, those with the busiest routes first, and what runs for every request, in order. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings, now: Now): DynamicModule {
    return {
      module: AppModule,
      global: true,
      imports: [
        DatabaseModule,
        PollingModule,
        ArticlesModule,
        BatchModule,
        AuthModule,
        LoginModule.forRoot(settings),
        HealthModule,
        PurgeModule,
        DocsModule,
        ...(settings.webAppEnabled ? [WebAppModule] : []),
        // Last, for the controller of everything that no other one handles.
        RootModule,
      ],
      providers: [
        ...SHARED,
        { provide: Settings, useValue: settings },
        { provide: NOW, useValue: now },
        { provide: SharedRedis, useFactory: connectRedis, inject: [Settings] },
        { provide: RateLimiter, useFactory: createRateLimiter, inject: [Settings, SharedRedis] },
        { provide: APP_GUARD, useClass: EndOfServiceGuard },
        { provide: APP_GUARD, useExisting: AuthGuard },
        { provide: APP_GUARD, useClass: RateLimitGuard },
        { provide: APP_GUARD, useClass: ReadOnlyGuard },
        { provide: APP_INTERCEPTOR, useClass: HeadersInterceptor },
        { provide: APP_FILTER, useClass: ApiErrorFilter },
      ],
      exports: [...SHARED, Settings, NOW, SharedRedis, RateLimiter],
    };
  }
}
