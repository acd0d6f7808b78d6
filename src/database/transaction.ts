import type { LoggerService } from '@nestjs/common';
import { ApiError } from '../protocol/api-error.js';
import { type Dialect, type Failure, type LoanedSession, type Outcome, type Session, unavailable } from './session.js';
import { isCorrupt } from './sqlite/dialect.js';

/** How long a failed write counts unless another one succeeds: a disk has room again without anybody writing. */
const FAILED_WRITE_MS = 10_000;
/** How long corruption counts after it was last found. */
const BROKEN_MS = 60_000;

const RETRY_BUDGET_MS = 4_000;
/** After a request has waited in vain, others are refused immediately for this long instead of waiting too. */
const REFUSE_MS = 1_000;
const DOCTOR = 'run "npm run commands -- doctor", which says what to do';

/** What an error of a statement means; one of ours is not the database's, and passes through. */
export const failureOf = (dialect: Dialect, error: unknown): Failure =>
  error instanceof ApiError ? 'bug' : dialect.classify(error);

export type Work<T> = (session: LoanedSession) => Promise<T>;

/** Runs `work` on a session of its own, which is then released, or destroyed when its state is unknown. */
export async function withSession<T>(acquiring: Promise<LoanedSession>, work: Work<T>): Promise<T> {
  const session = await acquiring;
  try {
    const result = await work(session);
    session.release();
    return result;
  } catch (error) {
    await giveUp(session, error);
    throw error;
  }
}

async function giveUp(session: LoanedSession, error: unknown): Promise<void> {
  if (['slow', 'lost', 'away', 'broken'].includes(failureOf(session.dialect, error))) return session.destroy();
  try {
    await session.rollBack();
    session.release();
  } catch (cause) {
    session.destroy();
    // A refusal may rest on data that is lost.
    if (error instanceof ApiError) throw cause;
  }
}

/**
 * Attempts a transaction once.
 * @param inDoubt attempts whose COMMIT got no reply; this one is added if that happens again. If a witness tells that one
 *   took place, its outcome is returned
 */
export async function runTransaction<T>(session: LoanedSession, inDoubt: Outcome<T>[], work: Work<Outcome<T>>) {
  if (inDoubt.length > 0) await session.begin();
  const earlier = await settled(session, inDoubt);
  const outcome = earlier ?? (await work(session));
  const mustCommit = outcome.isKept && !earlier;
  try {
    await (mustCommit ? session.commit() : session.rollBack());
  } catch (error) {
    if (mustCommit && session.dialect.classify(error) === 'lost') inDoubt.push(outcome);
    throw error;
  }
  if (outcome.isKept) outcome.whenDurable?.();
  return outcome;
}

/** The outcome of the attempt that took place; undefined if none did. Throws 503 / 201 when nothing can tell. */
async function settled<T>(session: Session, inDoubt: readonly Outcome<T>[]): Promise<Outcome<T> | undefined> {
  for (const outcome of inDoubt) {
    const tookPlace = outcome.witness ? await outcome.witness(session) : false;
    if (tookPlace === undefined)
      throw unavailable(new Error('too many later writes to tell whether this one was stored'));
    if (tookPlace) return outcome;
  }
  return undefined;
}

/** What attempts met lately: a probe that reads succeeds on a full disk, a read-only server and a half-broken file. */
export class DatabaseHealth {
  private writeFailed = -Infinity;
  private foundBroken = -Infinity;
  private refuseUntil = 0;
  /** SQLite's first error message of a corrupt file. */
  damage?: string;

  constructor(private readonly log?: LoggerService) {}

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
    const failure = failureOf(dialect, error);
    if (failure === 'bug' || failure === 'duplicate') throw error;
    if (failure === 'broken') this.noteBroken(error as Error);
    const isPromising = failure === 'retry' || failure === 'lost' || failure === 'away';
    if (isPromising && elapsedMs <= RETRY_BUDGET_MS) return;
    // Not after a slow statement of one user, which says nothing about others.
    if (failure === 'lost') this.refuseUntil = performance.now() + REFUSE_MS;
    throw unavailable(error);
  }
}
