import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock } from '../../config/settings.module.js';
import { Settings } from '../../config/settings.js';
import { SharedRedis } from '../../redis/shared-redis.js';
import { cacheableMs, type CheckedToken, type Identity } from './identity.js';

/**
 * The stored form. `until` (milliseconds since the epoch) gives a result one lifetime across all caches it passes
 * through.
 */
interface SharedResult {
  identity: Identity;
  until: number;
}

/**
 * Results of token checks, shared between instances through Redis; without it, or while it is unavailable, nothing is.
 * Only identities are shared, never rejections.
 */
@Injectable()
export class SharedResults {
  private readonly rules: string;
  private readonly limitMs: number;

  constructor(
    settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly redis: SharedRedis,
  ) {
    this.rules = JSON.stringify([settings.oauthUri, settings.oauthAudiences, settings.oauthRequiredScopes]);
    this.limitMs = settings.oauthTokenCacheSeconds * 1000;
  }

  /** The shared result for a token; otherwise that of `check`, which is then shared. */
  async known(token: string, check: () => Promise<Identity>): Promise<CheckedToken> {
    const shared = await this.find(token);
    if (shared) return shared;
    const identity = await check();
    const keepMs = cacheableMs(identity, this.limitMs, this.clock());
    if (keepMs > 0) this.share(token, { identity, until: this.clock() + keepMs }, keepMs);
    return { identity, keepMs };
  }

  /**
   * Expiry is by this instance's clock, which may differ from the writer's: never longer than a check of its own would
   * count.
   */
  private async find(token: string): Promise<CheckedToken | undefined> {
    try {
      const found = await this.redis.client?.get(this.keyOf(token));
      if (!found) return undefined;
      const { identity, until } = JSON.parse(found) as SharedResult;
      const keepMs = Math.min(until - this.clock(), this.limitMs);
      return keepMs > 0 ? { identity, keepMs } : undefined;
    } catch {
      return undefined;
    }
  }

  /** The request does not wait for it. */
  private share(token: string, result: SharedResult, ttlMs: number): void {
    const text = JSON.stringify(result);
    this.redis.client?.set(this.keyOf(token), text, 'PX', Math.ceil(ttlMs)).catch(() => undefined);
  }

  /** Includes the rules, as services with other rules may use the same store. */
  private keyOf(token: string): string {
    return `reading-list:token:${hash('sha256', `${this.rules} ${token}`, 'base64url')}`;
  }
}
