import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf } from '../http/access.js';
import { requestOf } from '../http/request/request-context.js';
import { networkOf } from './network.js';
import { RateLimiter } from './rate-limiter.js';

/** Counts requests by user, and by IP address if not authenticated. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limiter: RateLimiter) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf(context);
    const { admission } = request.context;
    if (admission) return admission.then(() => true);
    if (!this.limiter.isOn || accessOf(context)?.isUnlimited) return true;
    const { caller, ip = '' } = request;
    return this.limiter.take(caller ? `user:${caller.key}` : `address:${networkOf(ip)}`).then(() => true);
  }
}
