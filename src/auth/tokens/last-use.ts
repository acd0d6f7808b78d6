import { committed } from '../../database/outcome.js';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, MONOTONIC_CLOCK, type MonotonicClock } from '../../config/config.module.js';
import { Database } from '../../database/database.js';
import type { Token } from '../../database/entities/token.entity.js';
import { noteUse } from './personal-tokens.store.js';
import { Recent } from './recent.js';

const HOUR_MS = 3_600_000;
/** After a write that may have failed. */
const RETRY_MS = 60_000;
const MAX_WRITING = 4;

/** Notes when personal tokens were used, to the hour. Nobody waits for it, and nothing depends on it. */
@Injectable()
export class LastUse {
  private readonly tried = new Recent<number>(10_000);
  private writing = 0;

  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(MONOTONIC_CLOCK) private readonly monotonic: MonotonicClock,
  ) {}

  /** Writes at most once an hour for each token, however many instances there are, and leaves it to later while many wait. */
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
