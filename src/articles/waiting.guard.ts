import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Authenticator } from '../auth/authenticator.js';
import { callerOf } from '../auth/caller.js';
import { queryString } from '../http/request/query-string.js';
import { requestOf } from '../http/request/request-of.js';
import { preconditionsOf } from '../protocol/preconditions.js';
import { WaitingPolls } from '../waiting/waiting-polls.js';
import { ListingService } from './listing.service.js';

/**
 * Holds a poll with `Prefer: wait` until something changes or its time is up. A guard, because what interceptors and
 * the handler keep per held request would take more memory than everything else.
 */
@Injectable()
export class WaitingGuard implements CanActivate {
  constructor(
    private readonly waiting: WaitingPolls,
    private readonly listing: ListingService,
    private readonly authenticator: Authenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf<Request>(context);
    return request.headers.prefer === undefined || this.wait(request);
  }

  private async wait(request: Request): Promise<boolean> {
    const conditions = preconditionsOf(request);
    const { ifModifiedSince } = conditions;
    if (ifModifiedSince === undefined) return true;
    const look = () => this.listing.unchanged(callerOf(request), queryString(request), conditions);
    await this.waiting.hold(request, ifModifiedSince, look);
    const { heldMs, wait } = request.context;
    // A token that was revoked in the meantime gets no new data.
    if (heldMs !== undefined && wait?.unchanged === undefined) await this.authenticator.senderOf(request, false);
    return true;
  }
}
