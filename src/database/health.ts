import type { LoggerService } from '@nestjs/common';
import { ApiError } from '../protocol/api-error.js';
import { type Dialect, unavailable } from './session.js';
import { isCorrupt } from './sqlite/dialect.js';

/** How long a failed write counts unless another one succeeds: a disk has room again without anybody writing. */
const FAILED_WRITE_MS = 10_000;
/** How long corruption counts after it was last found. */
const BROKEN_MS = 60_000;

const RETRY_BUDGET_MS = 4_000;
/** After a request has waited in vain, others are refused immediately for this long instead of waiting too. */
const REFUSE_MS = 1_000;
const DOCTOR = 'run "npm run commands -- doctor", which says what to do';

export type Log = Pick<LoggerService, 'warn' | 'error'>;

/** What requests met lately: a probe that reads succeeds on a full disk, a read-only server and a half-broken file. */
export class DatabaseHealth {
  private writeFailed = -Infinity;
  private foundBroken = -Infinity;
  private refuseUntil = 0;
  /** SQLite's first error message of a corrupt file. */
  damage?: string;

  constructor(private readonly log?: Log) {}

  /** False while writes fail or corruption is known. */
  get isGood(): boolean {
    const now = performance.now();
    return now - this.writeFailed > FAILED_WRITE_MS && now - this.foundBroken > BROKEN_MS;
  }

  noteWrite(succeeded: boolean): void {
    this.writeFailed = succeeded ? -Infinity : performance.now();
  }

  noteBroken(error: Error): void {
    this.foundBroken = performance.now();
    if (this.damage || !isCorrupt(error)) return;
    this.damage = error.message;
    this.log?.error(`the database file is corrupt (${error.message}): ${DOCTOR}`);
  }

  /** Throws 503 / 201 if others have just waited in vain. */
  requireReachable(): void {
    if (performance.now() < this.refuseUntil) throw unavailable(new Error('the database was unavailable a moment ago'));
  }

  /** Throws the error for the response unless a retry is safe and promising. */
  requireRetryable(dialect: Dialect, error: unknown, elapsedMs: number): void {
    if (error instanceof ApiError) throw error;
    const failure = dialect.classify(error);
    if (failure === 'bug' || failure === 'duplicate') throw error;
    if (failure === 'broken') this.noteBroken(error as Error);
    const isPromising = failure === 'retry' || failure === 'lost' || failure === 'away';
    if (isPromising && elapsedMs <= RETRY_BUDGET_MS) return;
    // Not after a slow statement of one user, which says nothing about others.
    if (failure === 'lost') this.refuseUntil = performance.now() + REFUSE_MS;
    throw unavailable(error);
  }
}
