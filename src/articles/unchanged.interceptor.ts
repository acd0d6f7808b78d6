import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { type Observable, of } from 'rxjs';
import { requestOf } from '../http/request/request-of.js';
import { withLastModified } from '../http/response/last-modified.interceptor.js';
import { Reply } from '../http/response/reply.js';

/** Responds to a poll for which `PollGuard` found no news, 304, so that the handler runs only for news. */
@Injectable()
export class UnchangedInterceptor implements NestInterceptor<Reply, Reply> {
  intercept(context: ExecutionContext, next: CallHandler<Reply>): Observable<Reply> {
    const request = requestOf<Request>(context);
    const { unchanged } = request.context;
    if (unchanged === undefined) return next.handle();
    return of(withLastModified(new Reply(304, undefined, preferenceApplied(request), unchanged)));
  }
}

/** The header that tells a poll what wait it was granted. */
export const preferenceApplied = ({ context: { waitSeconds } }: Request): Record<string, string> =>
  waitSeconds === undefined ? {} : { 'Preference-Applied': `wait=${waitSeconds}` };
