import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { requestOf } from '../request/request-of.js';

/** Requests of one user that may be in flight, not counting held polls: fewer than make the service full. */
const MAX_PER_USER = 300;

/** Two users share a count by chance alone, as the keys of accounts are HMACs. */
const COUNTS = 65_536;

/** Refuses requests of a user with very many already in flight, so that no single user makes the service full. */
@Injectable()
export class FairShareGuard implements CanActivate {
  private readonly counts = new Uint32Array(COUNTS);
  private readonly max: number;

  constructor(@Inject(SETTINGS) { waiting }: Pick<Settings, 'waiting'>) {
    this.max = MAX_PER_USER + waiting.perUser;
  }

  canActivate(context: ExecutionContext): boolean {
    const { context: request, caller } = requestOf<Request>(context);
    if (!caller || request.isBatchEntry) return true;
    const at = caller.account.readUInt16LE();
    if (this.counts[at]! >= this.max) throw new ApiError('unavailable', 'Too many requests of this user are under way');
    this.counts[at]!++;
    request.whenAnswered(() => this.counts[at]!--);
    return true;
  }
}
