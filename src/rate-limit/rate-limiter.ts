import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import { Settings } from '../config/settings.js';
import { accessOf } from '../http/access.js';
import { requestOf } from '../http/request/request-context.js';
import { ApiError } from '../protocol/api-error.js';
import { SharedRedis } from '../redis/shared-redis.js';

const WINDOW_SECONDS = 60;

/** The limiter for `RATE_LIMIT_PER_MINUTE`; with 0 its library is not loaded. */
export async function createRateLimiter(settings: Settings, { client }: SharedRedis): Promise<RateLimiter> {
  const limit = { points: settings.rateLimitPerMinute, duration: WINDOW_SECONDS };
  if (limit.points === 0) return new RateLimiter();
  const { RateLimiterMemory, RateLimiterRedis } = await import('rate-limiter-flexible');
  const own = new RateLimiterMemory(limit);
  if (!client) return new RateLimiter(own);
  const shared = { storeClient: client, keyPrefix: 'reading-list:rate', rejectIfRedisNotReady: true };
  return new RateLimiter(new RateLimiterRedis({ ...limit, ...shared, insuranceLimiter: own }));
}

/** Counts requests in windows of a minute: in Redis across all instances, in memory without it or while it is down. */
export class RateLimiter {
  /** When the window of each IP address ends, the earliest first. */
  private readonly addresses = new Map<string, number>();
  readonly isOn = this.limiter !== undefined;

  constructor(private readonly limiter?: RateLimiterAbstract) {}

  /** Counts one request of `who`. Throws 429 / 117 with `Retry-After` (seconds to the next window) beyond the limit. */
  async take(who: string): Promise<void> {
    try {
      await this.limiter?.consume(who.startsWith('address:') ? this.bounded(who) : who);
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal;
      // The in-memory window ends by the wall clock, which may have been set back.
      const seconds = Math.ceil((refusal as RateLimiterRes).msBeforeNext / 1000);
      const retryAfter = Math.min(WINDOW_SECONDS, Math.max(1, seconds));
      throw new ApiError('tooManyRequests', 'Too many requests', { 'Retry-After': String(retryAfter) });
    }
  }

  private bounded(address: string): string {
    const now = performance.now();
    for (const [known, end] of this.addresses) {
      if (end > now) break;
      this.addresses.delete(known);
    }
    if (this.addresses.has(address)) return address;
    // Anybody can use very many, so further ones share one count.
    if (this.addresses.size >= 100_000) return 'address:others';
    this.addresses.set(address, now + WINDOW_SECONDS * 1000);
    return address;
  }
}

/** Counts requests by user, and by IP address if not authenticated. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf(context);
    const { admission } = request.context;
    if (admission) return admission.then(() => true);
    if (!this.limiter.isOn || accessOf(context)?.isUnlimited) return true;
    const { caller, ip } = request;
    return this.limiter.take(caller ? `user:${caller.key}` : `address:${networkOf(ip)}`).then(() => true);
  }
}

/** As some proxies write it in `X-Forwarded-For`, with the port of the connection. */
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;

/** What an IP address counts as: for IPv6 its network of 64 bits, all of which one host may have; mapped IPv4 is IPv4. */
export function networkOf(address = ''): string {
  const [, ipv6, ipv4] = WITH_PORT.exec(address) ?? [];
  const text = ipv6 ?? ipv4 ?? address;
  if (!ipaddr.isValid(text)) return text;
  const ip = ipaddr.process(text);
  if (ip instanceof ipaddr.IPv4) return ip.toString();
  return ip.toNormalizedString().split(':').slice(0, 4).join(':');
}
