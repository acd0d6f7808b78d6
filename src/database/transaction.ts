import { ApiError } from '../protocol/api-error.js';
import { type LoanedSession, type Session, unavailable } from './session.js';

/**
 * Tells whether a transaction took place whose COMMIT got no reply; undefined when nothing can tell. Runs in the
 * transaction that repeats it, and has to lock a row that both write: the lost one may be ending only now.
 */
export type Witness = (transaction: Session) => Promise<boolean | undefined>;

/** The outcome of a transaction: its result, and whether its changes are kept. */
export interface Outcome<T> {
  result: T;
  isKept: boolean;
  witness?: Witness;
  /** Called once it is known that the changes are durable. */
  whenDurable?: () => void;
}

/** Ends a transaction with COMMIT. Running it twice must be harmless, unless a witness tells that it took place. */
export const committed = <T>(result: T, witness?: Witness): Outcome<T> => ({ result, isKept: true, witness });

/** Ends a successful transaction with ROLLBACK: there is nothing to keep. */
export const discarded = <T>(result: T): Outcome<T> => ({ result, isKept: false });

/** Runs `work` on a session of its own, which is then released, or destroyed when its state is unknown. */
export async function withSession<T>(
  acquiring: Promise<LoanedSession>,
  work: (session: LoanedSession) => Promise<T>,
): Promise<T> {
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

/** Rolls back what has begun. Rejects when a refusal may rest on data that is lost. */
async function giveUp(session: LoanedSession, error: unknown): Promise<void> {
  const isRefusal = error instanceof ApiError;
  const isUnusable = ['slow', 'lost', 'away', 'broken'].includes(session.dialect.classify(error));
  if (!isRefusal && isUnusable) return session.destroy();
  try {
    await session.rollBack();
    session.release();
  } catch (cause) {
    session.destroy();
    if (isRefusal) throw cause;
  }
}

/**
 * Attempts a transaction once.
 * @param inDoubt attempts whose COMMIT got no reply; this one is added if that happens again. If a witness tells that one
 *   took place, its outcome is returned
 */
export async function runTransaction<T>(
  session: LoanedSession,
  inDoubt: Outcome<T>[],
  work: (session: LoanedSession) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
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
