import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, type Clock, MONOTONIC_CLOCK, type MonotonicClock } from '../../config/settings.module.js';
import { Database } from '../../database/database.js';
import { committed } from '../../database/transaction.js';
import type { Token } from '../../database/entities/token.entity.js';
import { noteUse } from './personal-tokens.store.js';

const HOUR_MS = 3_600_000;
/** How long to wait after a write that may have failed. */
const RETRY_MS = 60_000;
const MAX_WRITING = 4;

/** Records when personal tokens were last used, to the hour. Nothing waits for it or depends on it. */
@Injectable()
export class LastUse {
  private readonly tried = new LRUCache<string, number>({ max: 10_000 });
  private writing = 0;

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MONOTONIC_CLOCK) private readonly monotonic: MonotonicClock,
  ) {}

  /** Writes at most once an hour per token, across all instances; skips the write while others are pending. */
  note({ token_hash, last_used_on }: Token): void {
    const now = this.clock();
    if (last_used_on !== null && Math.abs(now - last_used_on) < HOUR_MS) return;
    const key = token_hash.toString('base64url');
    const tried = this.tried.get(key);
    if (this.writing >= MAX_WRITING || (tried !== undefined && this.monotonic() - tried < RETRY_MS)) return;
    this.tried.set(key, this.monotonic());
    this.writing++;
    this.database
      .inTransaction((transaction) => noteUse(transaction, token_hash, now, HOUR_MS).then((noted) => committed(noted)))
      .catch(() => undefined)
      .finally(() => this.writing--);
  }
}
