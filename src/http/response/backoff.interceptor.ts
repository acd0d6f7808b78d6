import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { statusHeaders } from '../../protocol/service-headers.js';
import { ServiceStatus } from '../service-status.js';
import { Reply } from './reply.js';

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
