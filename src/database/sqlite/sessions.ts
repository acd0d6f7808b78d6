import type { Database as SqliteHandle } from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import type { LoanedSession, Purpose, SessionSource, Tally } from '../session.js';
import { SqliteConnection } from './connection.js';
import { sqliteDialect } from './dialect.js';
import type { SqliteFile } from './file.js';
import { SqliteReaders } from './readers.js';
import { busy, SqliteSession } from './session.js';

const ACQUIRE_TIMEOUT_MS = 4_000;
/** How often one writer, on behalf of all, checks whether another process has released the lock. */
const PROBE_INTERVAL_MS = 10;
/** The most writers that share a commit, so that readers do not wait too long. */
const MAX_WRITERS_IN_COMMIT = 16;

/** A caller that waits for the connection; `since` is a `performance.now()` time. */
interface Waiting {
  purpose: Purpose;
  resolve: () => void;
  reject: (error: Error) => void;
  since: number;
}

/**
 * The single connection of the SQLite file, lent in order of arrival: to any number of readers, as single statements do
 * not interfere, or to one writer. Writers overtake readers while a shared commit is pending. better-sqlite3 runs every
 * statement synchronously, so a loan lasts microseconds; without the queue, two transactions would become one. Since a
 * loan waits for nothing else, checking the time when a caller's turn comes is enough to bound its wait.
 *
 * While another process holds the file's write lock, writers stay in the queue and readers overtake them. SQLite's own
 * wait would block the event loop, once per writer.
 */
export class SqliteSessions implements SessionSource {
  readonly dialect = sqliteDialect;
  private readonly connection: SqliteConnection;
  private readonly scanReaders?: SqliteReaders;
  private readonly queue: Waiting[] = [];
  private readers = 0;
  private isWriting = false;
  /** Set while another process is known to hold the write lock. */
  private probe?: NodeJS.Timeout;

  /** @param file where the database is not in memory */
  constructor(
    handle: SqliteHandle,
    private readonly dataSource: DataSource,
    private readonly file?: SqliteFile,
  ) {
    handle.pragma('busy_timeout = 0');
    this.connection = new SqliteConnection(handle, file);
    // An in-memory database has only one connection.
    if (!handle.memory) this.scanReaders = new SqliteReaders(handle.name, dataSource);
  }

  async close(): Promise<void> {
    await this.scanReaders?.close();
  }

  usage() {
    // Waiting for another process is not load on this one.
    const waiting = this.probe ? this.queue.filter(({ purpose }) => purpose !== 'write') : this.queue;
    const used = this.isWriting || this.readers > 0 ? 1 : 0;
    return { used, waiting: waiting.length, queued: this.scanReaders?.queued ?? 0 };
  }

  async acquire(purpose: Purpose, tally: Tally): Promise<LoanedSession> {
    this.file?.checkPeriodically();
    if (purpose === 'scan' && this.scanReaders) return this.scanReaders.session(tally);
    const since = performance.now();
    const isNext = this.queue.length === 0 || (purpose !== 'write' && this.probe !== undefined);
    if (isNext && this.isFreeFor(purpose)) this.lend(purpose);
    else await this.turn(purpose, since);
    return new SqliteSession(this.dataSource, this.connection, tally, {
      lockedOut: () => this.waitForLock(since),
      end: () => this.takeBack(purpose),
    });
  }

  /** Lends the connection to others until the lock may be free. Rejects when the caller has waited too long. */
  private waitForLock(since: number): Promise<void> {
    this.probe ??= setTimeout(() => this.tryAgain(), PROBE_INTERVAL_MS);
    const turn = new Promise<void>((resolve, reject) =>
      this.queue.unshift({ purpose: 'write', resolve, reject, since }),
    );
    this.takeBack('write');
    return turn;
  }

  private tryAgain(): void {
    this.probe = undefined;
    const latest = performance.now() - ACQUIRE_TIMEOUT_MS;
    for (const late of this.queue.filter(({ since }) => since < latest)) {
      this.queue.splice(this.queue.indexOf(late), 1);
      late.reject(busy());
    }
    this.serve();
  }

  private isFreeFor(purpose: Purpose): boolean {
    if (this.isWriting) return false;
    return purpose !== 'write' || (this.readers === 0 && this.probe === undefined);
  }

  private turn(purpose: Purpose, since: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ purpose, resolve, reject, since });
    });
  }

  private lend(purpose: Purpose): void {
    if (purpose === 'write') this.isWriting = true;
    else this.readers++;
  }

  private takeBack(purpose: Purpose): void {
    if (purpose === 'write') this.isWriting = false;
    else this.readers--;
    this.serve();
  }

  private serve(): void {
    for (let next = this.next(); next; next = this.next())
      if (performance.now() - next.since < ACQUIRE_TIMEOUT_MS) {
        this.lend(next.purpose);
        next.resolve();
      } else next.reject(busy());
  }

  /** Dequeues a caller that can have the connection now. */
  private next(): Waiting | undefined {
    if (this.isWriting) return undefined;
    const { unflushed } = this.connection;
    if (unflushed > 0) {
      const writer = this.queue.findIndex(({ purpose }) => purpose === 'write');
      if (writer >= 0 && unflushed < MAX_WRITERS_IN_COMMIT) return this.queue.splice(writer, 1)[0];
      this.connection.flush();
    }
    const at = this.probe ? this.queue.findIndex(({ purpose }) => purpose !== 'write') : 0;
    const first = this.queue[at];
    return first && this.isFreeFor(first.purpose) ? this.queue.splice(at, 1)[0] : undefined;
  }
}
