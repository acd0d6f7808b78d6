import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { ServiceStatus } from '../service-status.js';
import { LateReply, Reply } from './reply.js';

/**
 * Adds `Last-Modified` (milliseconds, not an HTTP date), `Alert` and `Backoff`, as of when the result is there, which
 * may be long after the request. One interceptor, because each costs a poll a tenth of its time.
 */
@Injectable()
export class HeadersInterceptor implements NestInterceptor<unknown, Reply | LateReply> {
  constructor(private readonly status: ServiceStatus) {}

  intercept(_: ExecutionContext, next: CallHandler<unknown>): Observable<Reply | LateReply> {
    return next.handle().pipe(map((result) => this.withHeaders(result)));
  }

  private withHeaders(result: unknown): Reply | LateReply {
    if (result instanceof LateReply) return new LateReply(() => result.reply().then((late) => this.withHeaders(late)));
    const reply = result instanceof Reply ? result : new Reply(200, result);
    const headers = this.status.headersOf(reply.status);
    if (reply.lastModified !== undefined) headers['Last-Modified'] = String(reply.lastModified);
    return reply.with(headers);
  }
}
