import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { supportEnded } from '../protocol/api-error.js';
import { accessOf } from './access.js';
import { ServiceStatus } from './service-status.js';

/** Throws 410 / 202 after the end-of-support date. */
@Injectable()
export class EndOfServiceGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly status: ServiceStatus,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (this.status.isPastEnd() && !accessOf(this.reflector, context)?.outlivesService) throw supportEnded();
    return true;
  }
}
