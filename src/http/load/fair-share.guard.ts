import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { SETTINGS } from '../../config/config.module.js';
import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { requestOf } from '../request/request-of.js';

/** Requests of one user that may be in flight, not counting held polls: fewer than make the service full. */
const MAX_PER_USER = 300;

/** Refuses requests of a user with very many already in flight, so that no single user makes the service full. */
@Injectable()
export class FairShareGuard implements CanActivate {
  private readonly counts = new Map<string, number>();
  private readonly max: number;

  constructor(@Inject(SETTINGS) { waiting }: Pick<Settings, 'waiting'>) {
    this.max = MAX_PER_USER + waiting.perUser;
  }

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf<Request>(context).context;
    if (!request.account || request.isBatchEntry) return true;
    const key = request.account.toString('latin1');
    const count = this.counts.get(key) ?? 0;
    if (count >= this.max) throw new ApiError('unavailable', 'Too many requests of this user are under way');
    this.counts.set(key, count + 1);
    request.whenAnswered(() => this.giveBack(key));
    return true;
  }

  private giveBack(key: string): void {
    const left = this.counts.get(key)! - 1;
    if (left === 0) this.counts.delete(key);
    else this.counts.set(key, left);
  }
}
