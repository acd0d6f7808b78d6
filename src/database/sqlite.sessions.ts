import type { Database as SqliteHandle } from 'better-sqlite3';
import type { LoanedSession, Parameter, Purpose, Row, SessionSource, Tally, WriteResult } from './session.js';
import { SqliteConnection } from './sqlite.connection.js';
import { sqliteDialect } from './sqlite.dialect.js';

const ACQUIRE_TIMEOUT_MS = 4_000;
/** Writers that share a commit at most, lest readers wait for too many of them. */
const MAX_WRITERS_IN_COMMIT = 16;

/** Who waits for the connection; `since` on the clock of `performance.now()`. */
interface Waiting {
  purpose: Purpose;
  resolve: () => void;
  reject: (error: Error) => void;
  since: number;
}

/**
 * The one connection of the SQLite file, lent to one caller at a time in the order of asking, but for writers, who go on while
 * one of them waits for the commit that they share. better-sqlite3 runs every statement to its end, so a loan lasts
 * microseconds; without the queue two transactions would end up in one. As a loan waits for nothing else, a look at the clock
 * when a caller's turn comes is enough to bound how long he waits.
 */
export class SqliteSessions implements SessionSource {
  readonly dialect = sqliteDialect;
  private readonly connection: SqliteConnection;
  private readonly queue: Waiting[] = [];
  private busy = false;

  constructor(handle: SqliteHandle) {
    this.connection = new SqliteConnection(handle);
  }

  usage() {
    return { used: this.busy ? 1 : 0, waiting: this.queue.length };
  }

  async acquire(purpose: Purpose, tally: Tally): Promise<LoanedSession> {
    if (this.busy) await this.turn(purpose);
    this.busy = true;
    return new SqliteSession(this.connection, tally, this.lendNext);
  }

  private turn(purpose: Purpose): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ purpose, resolve, reject, since: performance.now() });
    });
  }

  private readonly lendNext = (): void => {
    for (let next = this.next(); next; next = this.next()) {
      if (performance.now() - next.since < ACQUIRE_TIMEOUT_MS) return next.resolve();
      next.reject(busy());
    }
    this.busy = false;
  };

  private next(): Waiting | undefined {
    const { unflushed } = this.connection;
    if (unflushed > 0) {
      const writer = this.queue.findIndex(({ purpose }) => purpose === 'write');
      if (writer >= 0 && unflushed < MAX_WRITERS_IN_COMMIT) return this.queue.splice(writer, 1)[0];
      this.connection.flush();
    }
    return this.queue.shift();
  }
}

class SqliteSession implements LoanedSession {
  private isOver = false;

  constructor(
    private readonly connection: SqliteConnection,
    private readonly tally: Tally,
    private readonly onEnd: () => void,
  ) {}

  rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    return this.attempt(() => this.connection.rows(sql, parameters));
  }

  run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    return this.attempt(() => this.connection.run(sql, parameters));
  }

  begin(): Promise<void> {
    return this.attempt(() => this.connection.begin());
  }

  commit(): Promise<void> {
    return this.end(() => this.connection.commit());
  }

  rollBack(): Promise<void> {
    return this.end(() => this.connection.rollBack());
  }

  /** Gives the connection back before all is durable: others may share the commit. */
  private end(action: () => Promise<void>): Promise<void> {
    return this.attempt(() => {
      const durable = action();
      this.release();
      return durable;
    });
  }

  release(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onEnd();
  }

  destroy(): void {
    if (!this.isOver) this.connection.reset(busy());
    this.release();
  }

  private attempt<T>(action: () => T | Promise<T>): Promise<T> {
    this.tally.statements++;
    return new Promise((resolve) => {
      if (this.isOver) throw new Error('the session is over');
      resolve(action());
    });
  }
}

/** As the driver's own: everything can be tried again. */
const busy = (): Error => Object.assign(new Error('the database stayed busy'), { code: 'SQLITE_BUSY' });
