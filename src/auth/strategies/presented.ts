import type { Request } from 'express';
import { networkOf, type RateLimiter } from '../../rate-limit/rate-limiter.js';

/** What strategies see of a request: its header alone, as tokens in a query string or body do not count. */
export class Presented {
  readonly headers: { authorization?: string };
  private request?: Request;
  private counted?: Promise<void>;

  constructor(
    request: Request,
    private readonly limiter: RateLimiter,
  ) {
    // Normalises white space that HTTP allows but strategies do not expect.
    this.headers = { authorization: request.headers.authorization?.trim().replace(/[ \t]+/, ' ') };
    this.request = request;
  }

  /** The IP address, or network, that the request counts for. */
  get address(): string {
    return networkOf(this.request?.ip ?? '');
  }

  /** Counts the request for its IP address, once. Throws 429 / 117 beyond the rate limit. */
  count(): Promise<void> {
    return (this.counted ??= this.limiter.take(`address:${this.address}`));
  }

  /**
   * To be called at the end. V8 puts functions that are assigned to properties, as Passport does for each request, among the
   * old objects at once, so that what they refer to survives until a full collection: all of the request, at the cost of a third of
   * a poll's time.
   */
  forgetRequest(): void {
    this.request = undefined;
  }
}
