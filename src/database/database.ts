import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../protocol/api-error.js';
import { type Release, Semaphore } from '../semaphore.js';
import { DatabaseHealth } from './health.js';
import { type Begin, CommitInDoubt, type Outcome, runTransaction } from './transaction.js';
import { type Dialect, type Session, type SessionSource, type Tally, tooLarge, unavailable } from './session.js';

const RETRY_BUDGET_MS = 4_000;
const MAX_PAUSE_MS = 250;
/** After a request has waited in vain, others are refused immediately for this long instead of waiting too. */
const REFUSE_MS = 1_000;
/** The longest that a trivial statement takes on a server that is not hung. */
const PROBE_MS = 1_500;
/** Sessions that one user's requests may hold, of the ten or so that all users share. */
const MAX_SESSIONS_PER_USER = 4;
/** Transactions of one user that may queue for SQLite's single writer: as many as share a commit. */
const MAX_LOCAL_WRITES_PER_USER = 16;
const LIMITS = { timeoutMs: 3_000, refusal: 'Other requests of the same user took too long, try again later' };

/**
 * Runs statements and transactions, each on its own session, and retries them as a whole while that is safe and
 * promising. Rejects with 503 / 201 when the database stays away; errors of `work` itself pass through.
 */
export class Database {
  retries = 0;
  private refuseUntil = 0;
  private isProbing = false;
  private readonly turns = new Semaphore({ ...LIMITS, slotsPerKey: MAX_SESSIONS_PER_USER });
  private readonly localWrites = new Semaphore({ ...LIMITS, slotsPerKey: MAX_LOCAL_WRITES_PER_USER });
  /** A long transaction of one user at a time, so that others get SQLite's single writer in between. */
  private readonly longLocalWrites = new Semaphore({ ...LIMITS, slotsPerKey: 1 });

  constructor(
    private readonly source: () => SessionSource,
    private readonly health = new DatabaseHealth(),
  ) {}

  /** How many requests wait for others of the same user. */
  get queued(): number {
    return this.turns.waiting + this.localWrites.waiting + this.longLocalWrites.waiting;
  }

  get dialect(): Dialect {
    return this.source().dialect;
  }

  /**
   * Runs statements on one session, each its own transaction; on the tally's session if it has one. May run `work` more
   * than once.
   */
  onSession<T>(work: (session: Session) => Promise<T>, tally: Tally = { statements: 0 }): Promise<T> {
    if (tally.session) return work(tally.session);
    return this.repeat(tally, 'read', async (source) => {
      const session = await source.acquire(tally);
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
   * Runs a transaction, in which `work` has to lock the account first (`tick` in `accounts/`). May run `work` more than
   * once.
   */
  inTransaction<T>(work: (session: Session) => Promise<Outcome<T>>, tally: Tally = { statements: 0 }): Promise<T> {
    return this.transact((session, begin) => begin().then(() => work(session)), tally);
  }

  /** Like `inTransaction`, but `work` calls `begin` before its first write, and what it reads earlier locks nothing. */
  inLazyTransaction<T>(
    work: (session: Session, begin: Begin) => Promise<Outcome<T>>,
    tally: Tally & { key: string },
  ): Promise<T> {
    return this.transact(async (session, begin) => {
      let release: Release | undefined;
      const beginInTurn = async () => {
        if (this.dialect.isLocal) release = await this.longLocalWrites.acquire(tally.key, tally);
        await begin();
      };
      try {
        return await work(session, beginInTurn);
      } finally {
        release?.();
      }
    }, tally);
  }

  private transact<T>(work: (session: Session, begin: Begin) => Promise<Outcome<T>>, tally: Tally): Promise<T> {
    const inDoubt: Outcome<T>[] = [];
    return this.repeat(tally, 'write', async (source) => {
      const session = await source.acquire(tally);
      let hasBegun = false;
      const attempt = (on: Session, begin: Begin) =>
        work(on, () => {
          hasBegun = true;
          return begin();
        });
      try {
        const result = await runTransaction(session, inDoubt, attempt);
        if (hasBegun) this.health.noteWrite(true);
        return result;
      } catch (error) {
        if (isRefused(source.dialect, error)) this.health.noteWrite(false);
        if (!(error instanceof CommitInDoubt)) throw error;
        inDoubt.push(error.outcome as Outcome<T>);
        throw error.cause;
      }
    });
  }

  /** Calls `attempt` until it succeeds, fails permanently, or the time for retries is up. */
  private async repeat<T>(
    tally: Tally,
    purpose: 'read' | 'write',
    attempt: (source: SessionSource) => Promise<T>,
  ): Promise<T> {
    const start = performance.now();
    if (start < this.refuseUntil) throw unavailable(new Error('the database was away a moment ago'));
    for (let tries = 1; ; tries++) {
      const source = this.source();
      try {
        // After a long read, SQLite's session lets other users go first.
        const isLocalRead = source.dialect.isLocal && purpose === 'read';
        if (tally.key === undefined || isLocalRead) return await attempt(source);
        return await (source.dialect.isLocal ? this.localWrites : this.turns).run(tally.key, tally, () =>
          attempt(source),
        );
      } catch (error) {
        this.requireRetryable(source, error, performance.now() - start);
      }
      this.retries++;
      await pause(tries);
    }
  }

  /** Throws the error for the response unless a retry is safe and promising. */
  private requireRetryable(source: SessionSource, error: unknown, elapsedMs: number): void {
    if (error instanceof ApiError) throw error;
    const failure = source.dialect.classify(error);
    if (failure === 'bug' || failure === 'duplicate') throw error;
    if (failure === 'tooLarge') throw tooLarge(error);
    if (failure === 'broken') {
      this.health.noteBroken(error);
      throw unavailable(error);
    }
    if (failure === 'slow') {
      // One user's statement may be slow; only a server that responds to nobody is away for all.
      void this.refuseIfHung(source);
      throw unavailable(error);
    }
    if (elapsedMs <= RETRY_BUDGET_MS) return;
    if (failure === 'lost') this.refuseForAWhile();
    throw unavailable(error);
  }

  private refuseForAWhile(): void {
    this.refuseUntil = performance.now() + REFUSE_MS;
  }

  /** Refuses for a while if the server does not respond to a trivial statement either; one probe at a time, for which nobody waits. */
  private async refuseIfHung(source: SessionSource): Promise<void> {
    if (this.isProbing) return;
    this.isProbing = true;
    if (await isUnresponsive(source)) this.refuseForAWhile();
    this.isProbing = false;
  }
}

/** Whether the database refused a write; it may still serve reads. */
const isRefused = (dialect: Dialect, error: unknown): boolean =>
  !(error instanceof ApiError) && ['away', 'broken'].includes(dialect.classify(error));

async function isUnresponsive(source: SessionSource): Promise<boolean> {
  try {
    const session = await source.acquire({ statements: 0 });
    const response = session.row('SELECT 1', []).then(
      () => true,
      () => false,
    );
    const hasResponded = await Promise.race([response, sleep(PROBE_MS, false)]);
    if (hasResponded) session.release();
    else session.destroy();
    return !hasResponded;
  } catch (error) {
    // Without a free session there is nothing to learn about the server.
    return !(error instanceof ApiError);
  }
}

/** Full jitter: without it the losers of a race would keep colliding. */
const pause = (tries: number): Promise<void> => sleep(Math.random() * Math.min(MAX_PAUSE_MS, 10 * 2 ** tries));
