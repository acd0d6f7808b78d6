import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { map, type Observable } from 'rxjs';
import { Reply } from './reply.js';

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
