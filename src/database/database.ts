import { ApiError } from '../protocol/api-error.js';
import { unavailable } from './unavailable.js';
import type { Dialect, LoanedSession, Parameter, Session, SessionSource, Tally } from './session.js';

const RETRY_BUDGET_MS = 4_000;
const MAX_PAUSE_MS = 250;
/** After a request has waited in vain, others are refused at once for this long instead of waiting as well. */
const REST_MS = 1_000;

/** A write in progress. */
export interface Transaction extends Session {
  /**
   * A query that finds a row only if this transaction was committed. It decides whether a transaction whose COMMIT got no
   * reply is to run again.
   */
  witness?: { sql: string; parameters: Parameter[] };
  /** Ends in ROLLBACK when set, though nothing failed: there is nothing to keep. */
  abandoned?: boolean;
}

/**
 * Runs reads and writing transactions, each on a session of its own, and repeats them as a whole while a repetition is safe
 * and promising. Rejects with 503 / 201 when the database stays away; errors of `work` itself pass through.
 */
export class Database {
  retries = 0;
  private restUntil = 0;

  constructor(private readonly source: () => SessionSource) {}

  get dialect(): Dialect {
    return this.source().dialect;
  }

  /** Statements on one session without a transaction; they are counted in `tally`. */
  read<T>(work: (session: Session) => Promise<T>, tally: Tally = { statements: 0 }): Promise<T> {
    return this.repeat(async (source) => {
      const session = await source.acquire('read', tally);
      try {
        const result = await work(session);
        session.release();
        return result;
      } catch (error) {
        if (error instanceof ApiError) session.release();
        else session.destroy();
        throw error;
      }
    });
  }

  /**
   * A transaction that `work` has to begin by locking the account (`dialect.tick`). May run `work` more than once. All
   * statements are counted in `tally`.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>, tally: Tally = { statements: 0 }): Promise<T> {
    let doubtful: { transaction: Transaction; result: T } | undefined;
    return this.repeat(async (source) => {
      const session = await source.acquire('write', tally);
      if (doubtful && (await wasCommitted(session, doubtful.transaction))) return doubtful.result;
      doubtful = undefined;
      const transaction: Transaction = {
        rows: (sql, parameters) => session.rows(sql, parameters),
        row: (sql, parameters) => session.row(sql, parameters),
        run: (sql, parameters) => session.run(sql, parameters),
      };
      const result = await beforeCommit(source.dialect, session, () => work(transaction));
      if (transaction.abandoned) {
        await rollBack(session);
        return result;
      }
      try {
        await session.commit();
      } catch (error) {
        if (source.dialect.classify(error) === 'lost') doubtful = { transaction, result };
        await giveUp(source.dialect, session, error);
        throw error;
      }
      session.release();
      return result;
    });
  }

  /** Calls `attempt` until it succeeds, fails for good, or the time for repetitions is over. */
  private async repeat<T>(attempt: (source: SessionSource) => Promise<T>): Promise<T> {
    const start = performance.now();
    if (start < this.restUntil) throw unavailable(new Error('the database was away a moment ago'));
    for (let tries = 1; ; tries++) {
      const source = this.source();
      try {
        return await attempt(source);
      } catch (error) {
        if (error instanceof ApiError) throw error;
        const failure = source.dialect.classify(error);
        if (failure === 'bug' || failure === 'duplicate') throw error;
        if (performance.now() - start > RETRY_BUDGET_MS) {
          if (failure === 'lost') this.restUntil = performance.now() + REST_MS;
          throw unavailable(error);
        }
        this.retries++;
        await pause(tries);
      }
    }
  }
}

/** Full jitter: without it the losers of a race meet again at once, for ever. */
const pause = (tries: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(MAX_PAUSE_MS, 10 * 2 ** tries)));

async function wasCommitted(session: LoanedSession, { witness }: Transaction): Promise<boolean> {
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

async function beforeCommit<T>(dialect: Dialect, session: LoanedSession, work: () => Promise<T>): Promise<T> {
  try {
    await session.begin();
    return await work();
  } catch (error) {
    if (error instanceof ApiError) await rollBack(session);
    else await giveUp(dialect, session, error);
    throw error;
  }
}

/** Undoes what is left of a transaction that the database failed; the session is reused only when its state is known. */
async function giveUp(dialect: Dialect, session: LoanedSession, error: unknown): Promise<void> {
  const failure = dialect.classify(error);
  if (failure === 'lost' || failure === 'away') session.destroy();
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
