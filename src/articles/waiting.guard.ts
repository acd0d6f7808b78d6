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
 * Lets a poll that prefers to wait go on when there is news, or when its time is over. Before the handler and its interceptors:
 * what they would keep of a held request is more than all the rest.
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
    // A token that was revoked meanwhile is shown nothing that is new.
    if (heldMs !== undefined && wait?.unchanged === undefined) await this.authenticator.senderOf(request, false);
    return true;
  }
}
