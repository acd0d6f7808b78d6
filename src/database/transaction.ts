import { ApiError } from '../protocol/api-error.js';
import type { Outcome, Witness } from './outcome.js';
import type { Dialect, LoanedSession, Session } from './session.js';

/** A transaction whose COMMIT got no reply: only its witness can tell whether it took place. */
export class CommitInDoubt<T> extends Error {
  constructor(
    readonly outcome: Outcome<T>,
    override readonly cause: unknown,
  ) {
    super('the reply to COMMIT was lost');
  }
}

/** One attempt at a transaction, on a session that it gives back. Rejects with `CommitInDoubt` or what failed. */
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

/** Looks for what a transaction would have left; the session is given back when it is found or lost. */
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

/** Undoes what is left of a transaction that the database failed; the session is reused only when its state is known. */
async function giveUp(dialect: Dialect, session: LoanedSession, error: unknown): Promise<void> {
  const failure = dialect.classify(error);
  if (['slow', 'lost', 'away', 'broken'].includes(failure)) session.destroy();
  else await rollBack(session).catch(() => undefined);
}

/** Ends a transaction that keeps nothing. Rejects when what it read may not last. */
async function rollBack(session: LoanedSession): Promise<void> {
  try {
    await session.rollBack();
    session.release();
  } catch (error) {
    session.destroy();
    throw error;
  }
}
