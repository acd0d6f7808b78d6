import { Controller, Get, Module } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AuthModule } from '../auth/auth.module.js';
import { IdentityProvider } from '../auth/provider/identity-provider.js';
import { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { Public } from '../http/access.js';
import { ServiceStatus } from '../http/service-status.js';
import { ApiError } from '../protocol/api-error.js';
import { SharedRedis } from '../redis/shared-redis.js';

/** For how long heartbeats share what one of them found: anybody may send them. */
const SHARED_MS = 2000;

type Dependency = 'database' | 'cache' | 'oauth';

/** Reports the service's health to operators and load balancers (docs/operations.md, "Health"). */
@Public({ outlivesService: true, isUnlimited: true })
@Controller(['', 'v2'])
export class HealthController {
  private readonly states = new LRUCache<Dependency, boolean | string>({
    max: 3,
    ttl: SHARED_MS,
    fetchMethod: (name) => this.stateOf(name),
  });

  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    private readonly provider: IdentityProvider,
    private readonly status: ServiceStatus,
    private readonly redis: SharedRedis,
  ) {}

  /** Checks every dependency without changing anything; responds within a few seconds whatever hangs. */
  @Get('__heartbeat__')
  async heartbeat(): Promise<Record<string, boolean>> {
    const used: Dependency[] = ['database'];
    if (this.redis.client) used.push('cache');
    if (this.settings.oauthUriIsExplicit) used.push('oauth');
    const found = await Promise.all(used.map((name) => this.states.fetch(name)));
    const states = Object.fromEntries(used.map((name, at) => [name, found[at] === true]));
    const problems = used.filter((name) => !states[name]);
    if (problems.length === 0) return states;
    const reason = found.find((state) => typeof state === 'string');
    const message = `Not available: ${problems.join(', ')}${reason ? ` (${reason})` : ''}`;
    throw new ApiError('unavailable', message, {}, states);
  }

  /** True if it is available; a text tells in which way it is not. */
  private stateOf(name: Dependency): Promise<boolean | string> {
    if (name === 'oauth') return this.provider.state();
    return name === 'database' ? this.database.isUp() : this.redis.isReachable();
  }

  /** Checks no dependency: 503 until this instance has reached its database once, when it is stuck, and at shutdown. */
  @Get('__lbheartbeat__')
  lbheartbeat() {
    const { draining, monitor } = this.status;
    if (draining) throw new ApiError('unavailable', 'This instance is shutting down');
    if (!this.database.wasReached) throw new ApiError('unavailable', 'This instance has not reached its database yet');
    if (monitor.isStuck) throw new ApiError('unavailable', 'This instance is refusing all requests');
    return {};
  }
}

@Module({ imports: [AuthModule], controllers: [HealthController] })
export class HealthModule {}
