import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggerService, OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { SettingError } from '../config/settings.js';
import { Semaphore } from '../semaphore.js';
import { before } from '../time-limit.js';
import { DatabaseHealth, failureOf, runTransaction, withSession, type Work } from './transaction.js';
import { cutConnections, isFile } from './data-source.js';
import type { Dialect, Outcome, Row, Session, SessionSource, Tally, Usage } from './session.js';
import { deadlineOf, unavailable } from './session.js';

/** The share of the sessions that one user's requests may use: slow statements of a few users leave some for others. */
const SHARE_OF_USER = 1 / 5;
/** Transactions of one user that may queue for SQLite's single writer: as many as share a commit. */
const MAX_LOCAL_WRITES_PER_USER = 16;
const LIMITS = { timeoutMs: 3_000, refusal: 'Other requests of the same user took too long; try again later' };

/**
 * Runs reads and transactions, each on a session of its own, and retries them as a whole while that is safe and promising.
 * Rejects with 503 / 201 when the database is down, or not open yet; errors of `work` itself pass through.
 */
export class Database implements OnModuleInit, OnApplicationShutdown {
  retries = 0;
  /** Why the latest attempt to open the database failed. */
  failure?: Error;
  /** Called when it turns out only after the start that the service cannot run with this database. */
  onRefusal: (error: SettingError) => void = () => undefined;
  readonly health = new DatabaseHealth(this.log);
  private source?: SessionSource;
  private reopening?: NodeJS.Timeout;
  private closed = false;
  /** What one user's requests may do at once, apart from reads of a file. */
  private readonly perUser = new Semaphore({
    ...LIMITS,
    slotsPerKey: isFile(this.dataSource)
      ? MAX_LOCAL_WRITES_PER_USER
      : Math.ceil(SHARE_OF_USER * (this.dataSource.options.poolSize ?? 1)),
  });

  /** @param connect opens the data source; calls `onMoved` when its file is found to be removed or replaced later */
  constructor(
    private readonly dataSource: DataSource,
    private readonly connect: (onMoved: (error: Error) => void) => Promise<SessionSource>,
    private readonly log?: LoggerService,
  ) {}

  /**
   * Resolves when the database is open or its server is down, and after eight seconds in any case: a migration then goes
   * on in the background, and requests get 503. Rejects with `SettingError` when only the operator can help.
   */
  async onModuleInit(): Promise<void> {
    const opening = this.open();
    await Promise.race([opening, sleep(8_000, undefined, { ref: false })]);
    opening.catch((refusal: SettingError) => this.onRefusal(refusal));
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.reopening);
    this.source?.close?.();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
    // A server that hangs does not close them.
    cutConnections(this.dataSource);
  }

  /** Tries until the database is open. Resolves after the first attempt; rejects if that was refused. */
  private async open(): Promise<void> {
    try {
      this.source = await this.connect(({ message }) => {
        if (!this.closed) this.onRefusal(new SettingError(`DATABASE_URL: ${message}`));
      });
      if (this.closed) await this.onApplicationShutdown();
    } catch (error) {
      // Closed meanwhile, it cannot be opened.
      if (this.closed) return;
      if (error instanceof SettingError) throw error;
      this.failure = error as Error;
      this.log?.warn(`database not available, retrying: ${this.failure.message}`);
      const reopen = () => void this.open().catch((refusal: SettingError) => this.onRefusal(refusal));
      this.reopening = setTimeout(reopen, 1_000).unref();
    }
  }

  private requireSource(): SessionSource {
    if (!this.source) throw unavailable(new Error('not open yet'));
    return this.source;
  }

  get dialect(): Dialect {
    return this.requireSource().dialect;
  }

  get wasReached(): boolean {
    return this.source !== undefined;
  }

  /** True when the database responds and nothing indicates that it refuses writes. Never rejects. */
  async isUp(): Promise<boolean> {
    return Number((await this.probe())?.readOnly) === 0 && this.health.isGood;
  }

  /** Whether the server reports itself as read-only; undefined when the schema cannot be read within two seconds. */
  probe(): Promise<Row | undefined> {
    const read = (session: Session) =>
      session.row(`SELECT ${session.dialect.isReadOnly} AS readOnly, EXISTS (SELECT 1 FROM accounts) AS canRead`, []);
    return before(2_000, this.onSession(read), () => new Error('timed out')).catch(() => undefined);
  }

  usage(): Usage {
    const { used, waiting, queued } = this.source?.usage ?? { used: 0, waiting: 0, queued: 0 };
    return { used, waiting, queued: this.perUser.waiting + queued };
  }

  /** Runs statements, each its own transaction, on one session or the tally's. May run `work` more than once. */
  onSession<T>(work: (session: Session) => Promise<T>, tally: Tally = { statements: 0 }): Promise<T> {
    return tally.shared ? work(tally.shared) : this.repeat(tally, 'read', work);
  }

  /** Runs a transaction, in which `work` locks the account first (`tick`). May run `work` more than once. */
  inTransaction<T>(work: (session: Session) => Promise<Outcome<T>>, tally: Tally = { statements: 0 }): Promise<T> {
    return this.inLazyTransaction((session) => session.begin().then(() => work(session)), tally);
  }

  /** Like `inTransaction`, but `work` calls `begin` before its first write, and what it reads earlier locks nothing. */
  inLazyTransaction<T>(work: Work<Outcome<T>>, tally: Tally): Promise<T> {
    const inDoubt: Outcome<T>[] = [];
    return this.repeat(tally, 'write', async (session) => {
      try {
        const { result, isKept } = await runTransaction(session, inDoubt, work);
        if (isKept) this.health.noteWrite(true);
        return result;
      } catch (error) {
        if (['away', 'broken'].includes(failureOf(session.dialect, error))) this.health.noteWrite(false);
        throw error;
      }
    });
  }

  /** Runs `work`, on another session each time, until it succeeds, fails permanently, or the time for retries is up. */
  private async repeat<T>(tally: Tally, purpose: 'read' | 'write', work: Work<T>): Promise<T> {
    this.health.requireReachable();
    const start = performance.now();
    const deadline = deadlineOf(tally);
    for (let tries = 1; ; tries++) {
      const source = this.requireSource();
      const attempt = () => withSession(source.acquire(tally, deadline), work);
      try {
        // After a long read, SQLite's session lets other users go first.
        const isLocalRead = source.dialect.isLocal && purpose === 'read';
        if (tally.key === undefined || isLocalRead) return await attempt();
        return await this.perUser.run(tally.key, tally, attempt);
      } catch (error) {
        this.health.requireRetryable(source.dialect, error, performance.now() - start);
      }
      this.retries++;
      // Full jitter of up to 250 ms: without it the losers of a race would keep colliding.
      await sleep(Math.random() * Math.min(250, 10 * 2 ** tries));
    }
  }
}
