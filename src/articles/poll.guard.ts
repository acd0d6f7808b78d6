import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Authenticator } from '../auth/authenticator.js';
import { callerOf } from '../auth/caller.js';
import { queryString } from '../http/request/query-string.js';
import { requestOf } from '../http/request/request-of.js';
import { type Preconditions, preconditionsOf } from '../protocol/preconditions.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { WaitingPolls } from '../polling/waiting-polls.js';
import { ListingService } from './listing.service.js';

/**
 * Looks whether there is news for a poll, and notes the result in the request's context. With `Prefer: wait` it first
 * holds the poll until something changes or its time is up. A guard, because what interceptors and the handler keep per
 * held request would take more memory than everything else.
 */
@Injectable()
export class PollGuard implements CanActivate {
  constructor(
    private readonly waiting: WaitingPolls,
    private readonly listing: ListingService,
    private readonly authenticator: Authenticator,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf<Request>(context);
    const conditions = preconditionsOf(request);
    const { ifModifiedSince } = conditions;
    return ifModifiedSince === undefined || this.poll(request, ifModifiedSince, conditions);
  }

  private async poll(request: Request, since: Timestamp, conditions: Preconditions): Promise<boolean> {
    const { context, headers } = request;
    const look = () => this.listing.unchanged(callerOf(request), queryString(request), conditions);
    context.unchanged = await (headers.prefer === undefined ? look() : this.waiting.hold(request, since, look));
    // A token that was revoked in the meantime gets no new data.
    if (context.heldMs !== undefined && context.unchanged === undefined)
      await this.authenticator.senderOf(request, false);
    return true;
  }
}
