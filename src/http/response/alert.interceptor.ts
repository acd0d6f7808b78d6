import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Response } from 'express';
import type { Observable } from 'rxjs';
import { ServiceStatus } from '../service-status.js';

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
