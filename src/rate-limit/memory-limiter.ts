import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

/** The number of IP addresses that are counted individually; further ones share one count. */
const MAX_ADDRESSES = 100_000;
const OTHERS = 'address:others';

/** Counts in memory: a bounded number of IP addresses, because anybody can use very many; users are authenticated. */
export class MemoryLimiter extends RateLimiterMemory {
  /** When the window of each IP address ends, the earliest first. */
  private readonly addresses = new Map<string, number>();

  override consume(who: string, points?: number): Promise<RateLimiterRes> {
    return super.consume(who.startsWith('address:') ? this.bounded(who) : who, points);
  }

  private bounded(address: string): string {
    const now = performance.now();
    for (const [known, end] of this.addresses) {
      if (end > now) break;
      this.addresses.delete(known);
    }
    if (this.addresses.has(address)) return address;
    if (this.addresses.size >= MAX_ADDRESSES) return OTHERS;
    this.addresses.set(address, now + this.duration * 1000);
    return address;
  }
}
