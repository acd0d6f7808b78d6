import { Controller, Get, Inject } from '@nestjs/common';
import { CLIENT_REFUSED } from '../auth/provider/bounded-fetch.js';
import { IdentityProvider } from '../auth/provider/identity-provider.js';
import { Public } from '../auth/public.js';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { DatabaseLifecycle } from '../database/database.lifecycle.js';
import { OutlivesService } from '../http/end-of-service.guard.js';
import { Reply } from '../http/response/reply.js';
import { ServiceStatus } from '../http/service-status.js';
import { ApiError } from '../protocol/api-error.js';
import { Unlimited } from '../rate-limit/rate-limit.guard.js';
import { SharedRedis } from '../redis/shared-redis.js';

/** Reports the service's health to operators and load balancers (docs/operations.md, "Health"). */
@Public()
@OutlivesService()
@Unlimited()
@Controller(['', 'v2'])
export class HealthController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly database: DatabaseLifecycle,
    private readonly provider: IdentityProvider,
    private readonly status: ServiceStatus,
    private readonly redis: SharedRedis,
  ) {}

  /** Checks every dependency without changing anything; responds within a few seconds whatever hangs. */
  @Get('__heartbeat__')
  async heartbeat(): Promise<Reply> {
    const checks: Record<string, Promise<true | string>> = {
      database: this.database.isUp().then((isUp) => isUp || ''),
    };
    if (this.redis.client) checks.cache = this.redis.isReachable().then((isUp) => isUp || '');
    if (this.settings.oauth.uriIsExplicit) checks.oauth = this.checkProvider();
    const found = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await check] as const));
    const states = Object.fromEntries(found.map(([name, state]) => [name, state === true]));
    const problems = found.flatMap(([name, state]) => (state === true ? [] : `${name}${state}`));
    if (problems.length === 0) return new Reply(200, states);
    throw new ApiError('unavailable', `Not available: ${problems.join(', ')}`, {}, states);
  }

  /** True, or a suffix for its name in the message. */
  private async checkProvider(): Promise<true | string> {
    const state = await this.provider.state();
    if (state === 'ready') return true;
    return state === 'refusesClient' ? ` (${CLIENT_REFUSED})` : '';
  }

  /**
   * Checks no dependency: 200 while this instance accepts requests, 503 until it has reached its database once and
   * during shutdown.
   */
  @Get('__lbheartbeat__')
  lbheartbeat(): Reply {
    const reason = this.status.reasonNotToServe;
    if (reason === undefined) return new Reply(200, {});
    throw new ApiError('unavailable', reason);
  }
}
