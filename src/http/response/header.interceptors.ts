import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { statusHeaders } from '../../protocol/service-headers.js';
import { ServiceStatus } from '../service-status.js';
import { Reply } from './reply.js';

/**
 * Adds `Alert` while an end of support is announced, and `Backoff` while the load is high: as of when the result is there,
 * which may be long after the request.
 */
@Injectable()
export class StatusInterceptor implements NestInterceptor<unknown, unknown> {
  constructor(private readonly status: ServiceStatus) {}

  intercept(_: ExecutionContext, next: CallHandler<unknown>): Observable<unknown> {
    return next.handle().pipe(
      map((result) => {
        const reply = Reply.of(result);
        const headers = statusHeaders(reply.status, this.status.current());
        return Object.keys(headers).length > 0 ? reply.with(headers) : reply;
      }),
    );
  }
}

/** Adds `Last-Modified` to results with a timestamp: in milliseconds, not an HTTP date. */
@Injectable()
export class LastModifiedInterceptor implements NestInterceptor<Reply, Reply> {
  intercept(_: ExecutionContext, next: CallHandler<Reply>): Observable<Reply> {
    return next
      .handle()
      .pipe(
        map((reply) =>
          reply.lastModified === undefined ? reply : reply.with({ 'Last-Modified': String(reply.lastModified) }),
        ),
      );
  }
}
