import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { supportEnded } from '../protocol/api-error.js';
import { accessOf } from './access.js';
import { ServiceStatus } from './service-status.js';

/** Throws 410 / 202 after the end-of-support date. */
@Injectable()
export class EndOfServiceGuard implements CanActivate {
  constructor(private readonly status: ServiceStatus) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.status.isPastEnd() && !accessOf(context)?.outlivesService) throw supportEnded();
    return true;
  }
}
