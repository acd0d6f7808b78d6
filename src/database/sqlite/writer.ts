import { setTimeout as sleep } from 'node:timers/promises';
import { type Release, Semaphore } from '../../semaphore.js';
import type { Tally } from '../session.js';
import { type SqliteConnection, type SqliteReader } from './connection.js';
import { isBusy } from './dialect.js';
import type { SqliteFile } from './file.js';

const LOCK_PROBE_INTERVAL_MS = 10;
/** How long a transaction waits for other processes, if its deadline allows that. */
const LOCK_WAIT_MS = 4_000;
/** The most transactions that share a commit, so that the first does not wait too long. */
const MAX_TRANSACTIONS_IN_COMMIT = 16;
/** After a longer transaction, other users go first for as long as it took. */
const LONG_WRITE_MS = 50;
/** Callers wait elsewhere too, and still need a response within ten seconds. */
export const LIMITS = { timeoutMs: 2_500, refusal: 'The database is busy; try again later' };

/**
 * Runs one transaction at a time, in order of arrival. Making a commit durable costs more than all other work, so
 * consecutive transactions share one; each after the first is a savepoint, to be rolled back on its own.
 */
export class SqliteWriter {
  private readonly mutex = new Semaphore({ ...LIMITS, slots: 1 });
  /** Lets the next transaction begin; undefined while there is none. */
  private release?: Release;
  /** Transactions that have ended but are not durable yet. */
  private readonly ended: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  /** True while a transaction begins, which waits only for other processes. */
  private isBeginning = false;

  /** Without `reader` and `file` for an in-memory database. */
  constructor(
    readonly connection: SqliteConnection,
    private readonly reader?: SqliteReader,
    private readonly file?: SqliteFile,
  ) {}

  /** How many transactions are open, and how many wait; waiting for another process is not load on this one. */
  get usage() {
    return { used: Number(this.release !== undefined), waiting: this.isBeginning ? 0 : this.mutex.waiting };
  }

  /** Begins a transaction when no other caller and no other process has one. Rejects when it takes too long. */
  async begin(deadline: number): Promise<void> {
    this.release = await this.mutex.acquire('');
    try {
      this.isBeginning = true;
      if (this.ended.length > 0) this.connection.run('SAVEPOINT follower');
      else
        await beginImmediate((sql) => this.connection.run(sql), Math.min(LOCK_WAIT_MS, deadline - performance.now()));
    } catch (error) {
      this.leave();
      throw error;
    } finally {
      this.isBeginning = false;
    }
  }

  /** Ends the transaction; resolves once it is durable, rejects if that fails. */
  commit(): Promise<void> {
    if (this.ended.length > 0) this.connection.run('RELEASE follower');
    return this.end();
  }

  /** Rolls the transaction back; resolves once everything it may have read is durable, rejects if that fails. */
  rollBack(): Promise<void> {
    if (this.ended.length === 0) {
      this.connection.run('ROLLBACK');
      this.leave();
      return Promise.resolve();
    }
    this.connection.run('ROLLBACK TO follower');
    this.connection.run('RELEASE follower');
    return this.end();
  }

  /** Ends a transaction in an unknown state, and with it all that are not durable: these may be retried, as when busy. */
  abandon(): void {
    this.reset(Object.assign(new Error('the database stayed busy'), { code: 'SQLITE_BUSY' }));
    this.leave();
  }

  /** Runs `action` in a transaction of its own; resolves once that is durable. */
  async transact<T>(deadline: number, action: (connection: SqliteConnection) => T): Promise<T> {
    await this.begin(deadline);
    let result: T;
    try {
      result = action(this.connection);
    } catch (error) {
      // SQLite has rolled everything back already where the disk is full, or cannot be read.
      await (this.connection.handle.inTransaction ? this.rollBack() : this.abandon());
      throw error;
    }
    await this.commit();
    return result;
  }

  private end(): Promise<void> {
    const durable = new Promise<void>((resolve, reject) => this.ended.push({ resolve, reject }));
    this.leave();
    return durable;
  }

  /** Lets the next transaction begin, which shares the commit of those that are not durable yet, even if it asks only now. */
  private leave(): void {
    if (this.ended.length >= MAX_TRANSACTIONS_IN_COMMIT) this.flush();
    else process.nextTick(() => this.release ?? this.flush());
    const { release } = this;
    this.release = undefined;
    release?.();
  }

  private flush(): void {
    if (this.ended.length === 0) return;
    try {
      this.reader?.unlock();
      this.connection.run('COMMIT');
      this.file?.check();
      for (const { resolve } of this.ended.splice(0)) resolve();
    } catch (error) {
      this.reset(error);
    }
  }

  private reset(error: unknown): void {
    if (this.connection.handle.inTransaction) this.connection.run('ROLLBACK');
    for (const { reject } of this.ended.splice(0)) reject(error);
  }
}

/**
 * Lets transactions that may be long, as batches are, run one at a time, with at most one of each user waiting. While
 * four users' batches are slow, other writes then take half a second instead of more than four seconds.
 */
export class LongWrites {
  readonly all = new Semaphore({ ...LIMITS, slots: 1 });
  readonly perUser = new Semaphore({ ...LIMITS, slotsPerKey: 1 });

  /** Begins a transaction in its turn; resolves with what ends that. */
  async begin(writer: SqliteWriter, caller: Tally, deadline: number): Promise<Release> {
    const user = await this.perUser.acquire(caller.key ?? '', caller);
    let all: Release | undefined;
    try {
      all = await this.all.acquire('', caller);
      await writer.begin(deadline);
    } catch (error) {
      all?.();
      user();
      throw error;
    }
    const start = performance.now();
    return () => {
      const tookMs = performance.now() - start;
      if (tookMs > LONG_WRITE_MS) {
        // What others wait to write is made durable before the next long one.
        setImmediate(all);
        setTimeout(user, tookMs).unref();
      } else {
        all();
        user();
      }
    };
  }
}

/** Begins a transaction once no other process has one, or rejects. SQLite's own wait would block the event loop. */
export async function beginImmediate(run: (sql: string) => unknown, timeoutMs: number): Promise<void> {
  for (const start = performance.now(); ; await sleep(LOCK_PROBE_INTERVAL_MS))
    try {
      run('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() - start > timeoutMs) throw error;
    }
}
