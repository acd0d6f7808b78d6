import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { Reply } from './reply.js';
import { statusHeaders } from '../../protocol/service-headers.js';
import { ServiceStatus } from '../service-status.js';
import type { Response } from 'express';

/** Adds `Alert` to responses while an end of support is announced. */
@Injectable()
export class AlertInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(private readonly status: ServiceStatus) {}

  intercept(context: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    const { alert } = this.status.current();
    if (alert !== undefined) context.switchToHttp().getResponse<Response>().setHeader('Alert', alert);
    return next.handle();
  }
}

/**
 * Adds `Backoff` while the load is high. The load is read when the result is there, which may be long after the
 * request.
 */
@Injectable()
export class BackoffInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(private readonly status: ServiceStatus) {}

  intercept(_: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(
      map((result) => {
        const reply = Reply.of(result);
        const { Backoff } = statusHeaders(reply.status, this.status.current());
        return Backoff === undefined ? reply : reply.with({ Backoff });
      }),
    );
  }
}

/** Adds `Last-Modified` to results with a timestamp: in milliseconds, not an HTTP date. */
@Injectable()
export class LastModifiedInterceptor implements NestInterceptor<Reply, Reply> {
  intercept(_: ExecutionContext, next: CallHandler<Reply>): Observable<Reply> {
    return next.handle().pipe(map(withLastModified));
  }
}

/** The reply with the header of its timestamp, if it has one. */
export const withLastModified = (reply: Reply): Reply =>
  reply.lastModified === undefined ? reply : reply.with({ 'Last-Modified': String(reply.lastModified) });
