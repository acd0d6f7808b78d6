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
 * The one connection of the SQLite file, lent in the order of asking: to readers together, as single statements do not disturb
 * each other, or to one writer; writers go on first while one of them waits for the commit that they share. better-sqlite3
 * runs every statement to its end, so a loan lasts microseconds; without the queue two transactions would end up in one. As a
 * loan waits for nothing else, a look at the clock when a caller's turn comes is enough to bound how long he waits.
 */
export class SqliteSessions implements SessionSource {
  readonly dialect = sqliteDialect;
  private readonly connection: SqliteConnection;
  private readonly queue: Waiting[] = [];
  private readers = 0;
  private isWriting = false;

  constructor(handle: SqliteHandle) {
    this.connection = new SqliteConnection(handle);
  }

  usage() {
    return { used: this.isWriting || this.readers > 0 ? 1 : 0, waiting: this.queue.length };
  }

  async acquire(purpose: Purpose, tally: Tally): Promise<LoanedSession> {
    if (this.queue.length === 0 && this.isFreeFor(purpose)) this.lend(purpose);
    else await this.turn(purpose);
    return new SqliteSession(this.connection, tally, () => this.takeBack(purpose));
  }

  private isFreeFor(purpose: Purpose): boolean {
    return !this.isWriting && (purpose === 'read' || this.readers === 0);
  }

  private turn(purpose: Purpose): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ purpose, resolve, reject, since: performance.now() });
    });
  }

  private lend(purpose: Purpose): void {
    if (purpose === 'read') this.readers++;
    else this.isWriting = true;
  }

  private takeBack(purpose: Purpose): void {
    if (purpose === 'read') this.readers--;
    else this.isWriting = false;
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
    const [first] = this.queue;
    return first && this.isFreeFor(first.purpose) ? this.queue.shift() : undefined;
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

  row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return this.attempt(() => this.connection.row(sql, parameters));
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

  private async attempt<T>(action: () => T | Promise<T>): Promise<T> {
    this.tally.statements++;
    if (this.isOver) throw new Error('the session is over');
    return action();
  }
}

/** As the driver's own: everything can be tried again. */
const busy = (): Error => Object.assign(new Error('the database stayed busy'), { code: 'SQLITE_BUSY' });
