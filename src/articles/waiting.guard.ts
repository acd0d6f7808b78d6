import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
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
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = requestOf<Request>(context);
    if (request.headers.prefer === undefined) return true;
    const conditions = preconditionsOf(request);
    const { ifModifiedSince } = conditions;
    if (ifModifiedSince === undefined) return true;
    const look = () => this.listing.unchanged(callerOf(request), queryString(request), conditions);
    return this.waiting.hold(request, ifModifiedSince, look).then(() => true);
  }
}
