import type { Database as SqliteHandle } from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import type { LoanedSession, Purpose, SessionSource, Tally } from '../session.js';
import { SqliteConnection } from './connection.js';
import { sqliteDialect } from './dialect.js';
import type { SqliteFile } from './file.js';
import { SqliteReaders } from './readers.js';
import { busy, SqliteSession } from './session.js';

const ACQUIRE_TIMEOUT_MS = 4_000;
/** How often one writer looks whether another process has let go of the file, for all who wait. */
const PROBE_INTERVAL_MS = 10;
/** Writers that share a commit at most, so that readers do not wait for too many of them. */
const MAX_WRITERS_IN_COMMIT = 16;

/** Who waits for the connection; `since` on the clock of `performance.now()`. */
interface Waiting {
  purpose: Purpose;
  resolve: () => void;
  reject: (error: Error) => void;
  since: number;
}

/**
 * The one connection of the SQLite file, lent in the order of asking: to readers together, as single statements do not disturb
 * each other, or to one writer; writers go on first while one of them waits for the commit that they share. better-sqlite3
 * runs every statement to its end, so a loan lasts microseconds; without the queue two transactions would end up in one. As a
 * loan waits for nothing else, a look at the clock when a caller's turn comes is enough to bound how long he waits.
 *
 * While another process holds the file's write lock, writers stay in the queue and readers go past them. SQLite's own wait
 * would stop the event loop, once for every writer.
 */
export class SqliteSessions implements SessionSource {
  readonly dialect = sqliteDialect;
  private readonly connection: SqliteConnection;
  private readonly apart?: SqliteReaders;
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
    // A database in memory is there for one connection only.
    if (!handle.memory) this.apart = new SqliteReaders(handle.name, dataSource);
  }

  async close(): Promise<void> {
    await this.apart?.close();
  }

  usage() {
    // Who waits for another process does not keep this one busy.
    const waiting = this.probe ? this.queue.filter(({ purpose }) => purpose !== 'write') : this.queue;
    return { used: this.isWriting || this.readers > 0 ? 1 : 0, waiting: waiting.length };
  }

  async acquire(purpose: Purpose, tally: Tally): Promise<LoanedSession> {
    this.file?.glance();
    if (purpose === 'scan' && this.apart) return this.apart.session(tally);
    const since = performance.now();
    const isNext = this.queue.length === 0 || (purpose !== 'write' && this.probe !== undefined);
    if (isNext && this.isFreeFor(purpose)) this.lend(purpose);
    else await this.turn(purpose, since);
    return new SqliteSession(this.dataSource, this.connection, tally, {
      lockedOut: () => this.waitForLock(since),
      end: () => this.takeBack(purpose),
    });
  }

  /** Lends the connection to others until the lock may be free. Rejects when the caller has waited for too long. */
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

  /** Takes from the queue who can have the connection now. */
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
