import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible';
import type { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import type { SharedRedis } from '../redis/shared-redis.js';

const WINDOW_SECONDS = 60;
/** The number of IP addresses that are counted individually in memory; further ones share one count. */
const MAX_ADDRESSES = 100_000;
const OTHERS = 'address:others';

/** The limiter for `RATE_LIMIT_PER_MINUTE`; with 0 its library is not loaded. */
export async function createRateLimiter(
  { rateLimitPerMinute: points }: Settings,
  redis: SharedRedis,
): Promise<RateLimiter> {
  if (points === 0) return new RateLimiter(redis);
  const { RateLimiterMemory, RateLimiterRedis } = await import('rate-limiter-flexible');
  const limit = { points, duration: WINDOW_SECONDS };
  const shared =
    redis.client && new RateLimiterRedis({ storeClient: redis.client, keyPrefix: 'reading-list:rate', ...limit });
  return new RateLimiter(redis, new RateLimiterMemory(limit), shared);
}

/**
 * Counts requests in one-minute windows: in Redis across all instances, in memory without Redis or while it is unavailable.
 */
export class RateLimiter {
  /** When the window of each IP address ends, the earliest first. */
  private readonly addresses = new Map<string, number>();

  /**
   * @param own undefined if there is no limit
   * @param shared undefined without Redis
   */
  constructor(
    private readonly redis: SharedRedis,
    private readonly own?: RateLimiterAbstract,
    private readonly shared?: RateLimiterAbstract,
  ) {}

  get isOn(): boolean {
    return this.own !== undefined;
  }

  /**
   * Counts one request of `who`. Throws 429 / 117 with `Retry-After` (seconds to the next window) beyond the limit.
   */
  async take(who: string): Promise<void> {
    const refusal = await this.count(who);
    if (!refusal) return;
    // The in-memory window ends by the wall clock, which may have been set back.
    const seconds = Math.min(WINDOW_SECONDS, Math.max(1, Math.ceil(refusal.msBeforeNext / 1000)));
    throw new ApiError('tooManyRequests', 'Too many requests', { 'Retry-After': String(seconds) });
  }

  /**
   * The key for counting in memory. The number of IP addresses is bounded, because anybody can use very many; users
   * are authenticated.
   */
  private bounded(who: string): string {
    if (!who.startsWith('address:')) return who;
    const now = performance.now();
    for (const [address, end] of this.addresses) {
      if (end > now) break;
      this.addresses.delete(address);
    }
    if (this.addresses.has(who)) return who;
    if (this.addresses.size >= MAX_ADDRESSES) return OTHERS;
    this.addresses.set(who, now + WINDOW_SECONDS * 1000);
    return who;
  }

  private async count(who: string): Promise<RateLimiterRes | undefined> {
    const { own, shared } = this;
    if (!shared) return own && refusalOf(own, this.bounded(who));
    return this.redis.run(() => refusalOf(shared, who)).catch(() => refusalOf(own!, this.bounded(who)));
  }
}

/** Undefined when the request is within the limit. Rejects when it could not be counted. */
const refusalOf = (limiter: RateLimiterAbstract, who: string): Promise<RateLimiterRes | undefined> =>
  limiter.consume(who).then(
    () => undefined,
    (refusal: RateLimiterRes | Error) => {
      if (refusal instanceof Error) throw refusal;
      return refusal;
    },
  );
