import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Redis } from 'ioredis';
import { IdentityProvider } from '../auth/identity-provider.js';
import { Public } from '../auth/public.js';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { DatabaseLifecycle } from '../database/database.lifecycle.js';
import { OutlivesService } from '../http/end-of-service.guard.js';
import { Reply } from '../http/reply.js';
import { ServiceStatus } from '../http/service-status.js';
import { ApiError } from '../protocol/api-error.js';
import { Unlimited } from '../rate-limit/rate-limit.guard.js';
import { isRedisUp } from '../redis/redis.js';
import { REDIS } from '../redis/redis.module.js';
import { HealthDocs } from './health.docs.js';

/** Tells operators and load balancers how the service is (docs/operations.md, "Health"). */
@ApiTags('utility')
@Public()
@OutlivesService()
@Unlimited()
@Controller(['', 'v2'])
export class HealthController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(DatabaseLifecycle) private readonly database: DatabaseLifecycle,
    @Inject(IdentityProvider) private readonly provider: IdentityProvider,
    @Inject(ServiceStatus) private readonly status: ServiceStatus,
    @Inject(REDIS) private readonly redis: Redis | undefined,
  ) {}

  /** Asks every dependency; answers within a few seconds whatever hangs. */
  @HealthDocs.heartbeat
  @Get('__heartbeat__')
  async heartbeat(): Promise<Reply> {
    const checks: Record<string, Promise<boolean>> = { database: this.database.isUp() };
    if (this.redis) checks.cache = isRedisUp(this.redis);
    if (this.settings.oauth.uriIsExplicit) checks.oauth = this.provider.isReachable();
    const states = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await check] as const));
    const down = states.filter(([, isUp]) => !isUp).map(([name]) => name);
    const mapping = Object.fromEntries(states);
    if (down.length === 0) return new Reply(200, mapping);
    const error = new ApiError('unavailable', `Not available: ${down.join(', ')}`);
    return new Reply(error.status, { ...mapping, ...error.body() });
  }

  /** Asks nobody: 200 while this instance wants requests, 503 from the moment it shuts down. */
  @HealthDocs.lbheartbeat
  @Get('__lbheartbeat__')
  lbheartbeat(): Reply {
    if (!this.status.draining) return new Reply(200, {});
    throw new ApiError('unavailable', 'This instance is shutting down');
  }
}
