import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { supportEnded } from '../protocol/api-error.js';
import { ServiceStatus } from './service-status.js';

const OUTLIVES = 'outlivesService';

/** Marks a controller that stays available after the end-of-support date. */
export const OutlivesService = () => SetMetadata(OUTLIVES, true);

/** Throws 410 / 202 after the end-of-support date. */
@Injectable()
export class EndOfServiceGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly status: ServiceStatus,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.status.isPastEnd()) return true;
    const outlives = this.reflector.getAllAndOverride<boolean | undefined>(OUTLIVES, [context.getClass()]);
    if (!outlives) throw supportEnded();
    return true;
  }
}
