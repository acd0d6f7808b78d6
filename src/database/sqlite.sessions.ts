import type { Database as SqliteHandle, Statement } from 'better-sqlite3';
import type { LoanedSession, Parameter, Row, SessionSource, Tally, WriteResult } from './session.js';
import { sqliteDialect } from './sqlite.dialect.js';

const MAX_CACHED_STATEMENTS = 200;
const ACQUIRE_TIMEOUT_MS = 4_000;

/** Who waits for the connection; `since` on the clock of `performance.now()`. */
interface Waiting {
  resolve: () => void;
  reject: (error: Error) => void;
  since: number;
}

/**
 * The one connection of the SQLite file, lent to one caller at a time in the order of asking. better-sqlite3 runs every
 * statement to its end, so a loan lasts microseconds; without the queue two transactions would end up in one. As a loan waits
 * for nothing else, a look at the clock when a caller's turn comes is enough to bound how long he waits.
 */
export class SqliteSessions implements SessionSource {
  readonly dialect = sqliteDialect;
  private readonly statements = new Map<string, Statement>();
  private readonly queue: Waiting[] = [];
  private busy = false;

  constructor(private readonly handle: SqliteHandle) {}

  usage() {
    return { used: this.busy ? 1 : 0, waiting: this.queue.length };
  }

  async acquire(tally: Tally): Promise<LoanedSession> {
    if (this.busy) await this.turn();
    this.busy = true;
    return this.session(tally);
  }

  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.queue.push({ resolve, reject, since: performance.now() });
    });
  }

  private readonly free = (): void => {
    for (let next = this.queue.shift(); next; next = this.queue.shift()) {
      if (performance.now() - next.since < ACQUIRE_TIMEOUT_MS) return next.resolve();
      next.reject(Object.assign(new Error('the database stayed busy'), { code: 'SQLITE_BUSY' }));
    }
    this.busy = false;
  };

  private session(tally: Tally): LoanedSession {
    const attempt = <T>(action: () => T): Promise<T> => {
      tally.statements++;
      return new Promise((resolve) => resolve(action()));
    };
    return {
      rows: (sql, parameters) => attempt(() => this.statement(sql).all(...parameters) as Row[]),
      run: (sql, parameters) => attempt(() => this.write(sql, parameters)),
      release: this.free,
      destroy: this.free,
    };
  }

  private write(sql: string, parameters: Parameter[]): WriteResult {
    return { affectedRows: this.statement(sql).run(...parameters).changes, insertId: 0 };
  }

  /** Prepared statements by their text; when they become too many, all are prepared anew as they come. */
  private statement(sql: string): Statement {
    const known = this.statements.get(sql);
    if (known) return known;
    if (this.statements.size === MAX_CACHED_STATEMENTS) this.statements.clear();
    const statement = this.handle.prepare(sql);
    this.statements.set(sql, statement);
    return statement;
  }
}
