import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { type Observable, of } from 'rxjs';
import { callerOf } from '../auth/caller.js';
import { queryString } from '../http/request/query-string.js';
import { requestOf } from '../http/request/request-of.js';
import { withLastModified } from '../http/response/last-modified.interceptor.js';
import { Reply } from '../http/response/reply.js';
import { preconditionsOf } from '../protocol/preconditions.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { ListingService } from './listing.service.js';

/** Responds to a poll for which nothing has changed, 304, so that the handler runs only for news. */
@Injectable()
export class UnchangedInterceptor implements NestInterceptor<Reply, Reply> {
  constructor(private readonly listings: ListingService) {}

  async intercept(context: ExecutionContext, next: CallHandler<Reply>): Promise<Observable<Reply>> {
    const request = requestOf<Request>(context);
    const { wait } = request.context;
    // A poll that was to be held comes here with the outcome.
    const unchanged = wait && wait.seconds > 0 ? wait.unchanged : await this.look(request);
    if (unchanged === undefined) return next.handle();
    return of(withLastModified(new Reply(304, undefined, preferenceApplied(request), unchanged)));
  }

  /** The collection's timestamp if it has not changed since `If-Modified-Since`. */
  private look(request: Request): Promise<Timestamp | undefined> | undefined {
    const conditions = preconditionsOf(request);
    if (conditions.ifModifiedSince === undefined) return undefined;
    return this.listings.unchanged(callerOf(request), queryString(request), conditions);
  }
}

/** The header that tells a poll what wait it was granted. */
export const preferenceApplied = ({ context: { wait } }: Request): Record<string, string> =>
  wait ? { 'Preference-Applied': `wait=${wait.seconds}` } : {};
