import { ApiError } from '../protocol/api-error.js';
import type { Outcome, Witness } from './outcome.js';
import type { Dialect, LoanedSession, Session } from './session.js';

/** A transaction whose COMMIT got no reply: only its witness tells whether it took place. */
export class CommitInDoubt<T> extends Error {
  constructor(
    readonly outcome: Outcome<T>,
    override readonly cause: unknown,
  ) {
    super('the reply to COMMIT was lost');
  }
}

/** Attempts a transaction once and releases the session. Rejects with `CommitInDoubt` or the original error. */
export async function runTransaction<T>(
  dialect: Dialect,
  session: LoanedSession,
  work: (session: Session) => Promise<Outcome<T>>,
): Promise<T> {
  const outcome = await beforeCommit(dialect, session, work);
  if (!outcome.isKept) {
    await rollBack(session);
    return outcome.result;
  }
  try {
    await session.commit();
  } catch (error) {
    await giveUp(dialect, session, error);
    throw dialect.classify(error) === 'lost' ? new CommitInDoubt(outcome, error) : error;
  }
  session.release();
  return outcome.result;
}

/**
 * Checks the witness of a transaction. Releases the session if it is found and destroys it on failure; otherwise the
 * session is still lent.
 */
export async function wasCommitted(session: LoanedSession, witness?: Witness): Promise<boolean> {
  if (!witness) return false;
  try {
    const found = await session.row(witness.sql, witness.parameters);
    if (found) session.release();
    return found !== undefined;
  } catch (error) {
    session.destroy();
    throw error;
  }
}

async function beforeCommit<T>(
  dialect: Dialect,
  session: LoanedSession,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  try {
    await session.begin();
    return await work(session);
  } catch (error) {
    if (error instanceof ApiError) await rollBack(session);
    else await giveUp(dialect, session, error);
    throw error;
  }
}

/** Rolls back a transaction that failed in the database; reuses the session only if its state is known. */
async function giveUp(dialect: Dialect, session: LoanedSession, error: unknown): Promise<void> {
  const failure = dialect.classify(error);
  if (['slow', 'lost', 'away', 'broken'].includes(failure)) session.destroy();
  else await rollBack(session).catch(() => undefined);
}

/** Rolls back. Rejects when the transaction may have read data that is lost. */
async function rollBack(session: LoanedSession): Promise<void> {
  try {
    await session.rollBack();
    session.release();
  } catch (error) {
    session.destroy();
    throw error;
  }
}
