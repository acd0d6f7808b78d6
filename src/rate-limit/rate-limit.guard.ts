import { type CanActivate, type ExecutionContext, Inject, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { AuthenticatedRequest, Caller } from '../auth/account.js';
import { requestOf } from '../http/request-of.js';
import { RateLimiter } from './rate-limiter.js';

const UNLIMITED = 'unlimited';
const COUNTED = Symbol('counted');

/** Marks a controller whose requests are never counted. */
export const Unlimited = () => SetMetadata(UNLIMITED, true);

/** Marks a request that was counted in another place already. */
export const markCounted = (request: object): void => void Object.assign(request, { [COUNTED]: true });

/** Counts requests by user, and by address where nobody signed in. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    @Inject(Reflector) private readonly reflector: Reflector,
    @Inject(RateLimiter) private readonly limiter: RateLimiter,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    if (!this.limiter.isOn) return true;
    const request = requestOf<AuthenticatedRequest>(context);
    if (COUNTED in request) return true;
    if (this.reflector.getAllAndOverride<boolean | undefined>(UNLIMITED, [context.getClass()])) return true;
    const caller = request.caller as Caller | undefined;
    return this.limiter
      .take(caller ? `user:${caller.account.toString('base64url')}` : `address:${request.ip}`)
      .then(() => true);
  }
}
