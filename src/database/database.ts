import { ApiError } from '../protocol/api-error.js';
import { before } from './before.js';
import { DatabaseHealth } from './health.js';
import type { Outcome } from './outcome.js';
import type { Dialect, Purpose, Session, SessionSource, Tally } from './session.js';
import { CommitInDoubt, runTransaction, wasCommitted } from './transaction.js';
import { Turns } from './turns.js';
import { unavailable } from './unavailable.js';

const RETRY_BUDGET_MS = 4_000;
const MAX_PAUSE_MS = 250;
/** After a request has waited in vain, others are refused at once for this long instead of waiting as well. */
const REST_MS = 1_000;
/** How long a server that is not hung takes at most to answer a statement that needs nothing. */
const PROBE_MS = 1_500;
/** Sessions that requests of one user have at a time, of the ten or so that all share. */
const SESSIONS_OF_ONE = 4;
/** Transactions of one user that wait for SQLite's one writer at a time: as many as share a commit. */
const WRITES_OF_ONE = 16;
const TURN_TIMEOUT_MS = 4_000;

/**
 * Runs statements and transactions, each on a session of its own, and repeats them as a whole while a repetition is safe and
 * promising. Rejects with 503 / 201 when the database stays away; errors of `work` itself pass through.
 */
export class Database {
  retries = 0;
  private restUntil = 0;
  private probing?: Promise<boolean>;
  private readonly turns = new Turns(SESSIONS_OF_ONE, TURN_TIMEOUT_MS);
  private readonly writeTurns = new Turns(WRITES_OF_ONE, TURN_TIMEOUT_MS);

  constructor(
    private readonly source: () => SessionSource,
    private readonly health = new DatabaseHealth(),
  ) {}

  get dialect(): Dialect {
    return this.source().dialect;
  }

  /** Statements on one session, each a transaction of its own. May run `work` more than once. */
  onSession<T>(
    work: (session: Session) => Promise<T>,
    tally: Tally = { statements: 0 },
    purpose: Exclude<Purpose, 'write'> = 'read',
  ): Promise<T> {
    return this.repeat(tally, 'read', async (source) => {
      const session = await source.acquire(purpose, tally);
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

  /** A transaction, which `work` has to begin by locking the account (`tick` in `accounts/`). May run `work` more than once. */
  inTransaction<T>(work: (session: Session) => Promise<Outcome<T>>, tally: Tally = { statements: 0 }): Promise<T> {
    let inDoubt: Outcome<T> | undefined;
    return this.repeat(tally, 'write', async (source) => {
      const session = await source.acquire('write', tally);
      if (inDoubt && (await wasCommitted(session, inDoubt.witness))) return inDoubt.result;
      inDoubt = undefined;
      try {
        const result = await runTransaction(source.dialect, session, work);
        this.health.noteWrite(true);
        return result;
      } catch (error) {
        if (isRefused(source.dialect, error)) this.health.noteWrite(false);
        if (!(error instanceof CommitInDoubt)) throw error;
        inDoubt = error.outcome as Outcome<T>;
        throw error.cause;
      }
    });
  }

  /** Calls `attempt` until it succeeds, fails for good, or the time for repetitions is over. */
  private async repeat<T>(
    { account }: Tally,
    purpose: 'read' | 'write',
    attempt: (source: SessionSource) => Promise<T>,
  ): Promise<T> {
    const start = performance.now();
    if (start < this.restUntil) throw unavailable(new Error('the database was away a moment ago'));
    for (let tries = 1; ; tries++) {
      const source = this.source();
      try {
        // A read of SQLite is over before another one could begin.
        if (source.dialect.isLocal && purpose === 'read') return await attempt(source);
        return await (source.dialect.isLocal ? this.writeTurns : this.turns).run(account, () => attempt(source));
      } catch (error) {
        await this.requireHope(source, error, performance.now() - start);
      }
      this.retries++;
      await pause(tries);
    }
  }

  /** Throws what the request is answered with unless another try is safe and promising. */
  private async requireHope(source: SessionSource, error: unknown, elapsedMs: number): Promise<void> {
    if (error instanceof ApiError) throw error;
    const failure = source.dialect.classify(error);
    if (failure === 'bug' || failure === 'duplicate') throw error;
    if (failure === 'broken') {
      this.health.noteBroken(error);
      throw unavailable(error);
    }
    if (failure === 'slow') {
      // A user's own statement may take too long; only a server that answers nobody is away for all.
      if (await this.isHung(source)) this.rest();
      throw unavailable(error);
    }
    if (elapsedMs <= RETRY_BUDGET_MS) return;
    if (failure === 'lost') this.rest();
    throw unavailable(error);
  }

  private rest(): void {
    this.restUntil = performance.now() + REST_MS;
  }

  /** Whether the server leaves a statement that needs nothing unanswered as well; asked once for all who want to know. */
  private isHung(source: SessionSource): Promise<boolean> {
    this.probing ??= answersNobody(source).finally(() => (this.probing = undefined));
    return this.probing;
  }
}

/** Whether a database that may well answer reads took no write. */
const isRefused = (dialect: Dialect, error: unknown): boolean =>
  !(error instanceof ApiError) && ['away', 'broken'].includes(dialect.classify(error));

async function answersNobody(source: SessionSource): Promise<boolean> {
  try {
    const session = await source.acquire('read', { statements: 0 });
    const answer = before(PROBE_MS, session.row('SELECT 1', []), new Error('no answer'));
    const isAnswered = await answer.then(
      () => true,
      () => false,
    );
    if (isAnswered) session.release();
    else session.destroy();
    return !isAnswered;
  } catch (error) {
    // Without a free session nothing is known of the server.
    return !(error instanceof ApiError);
  }
}

/** Full jitter: without it the losers of a race meet again at once, forever. */
const pause = (tries: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(MAX_PAUSE_MS, 10 * 2 ** tries)));
