import type { Database as SqliteHandle } from 'better-sqlite3';
import type { IsLast, Parameter, Row, WriteResult } from '../session.js';
import { sqliteDialect } from './dialect.js';
import type { SqliteFile } from './file.js';
import { SqliteStatement } from './statement.js';

const MAX_CACHED_STATEMENTS = 200;

/** A transaction that has ended but is not durable yet. */
interface Ended {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The connection to a SQLite file. Two things cost more than all other work and are therefore shared: locking the file,
 * once for all reads of one turn of the event loop, and making a commit durable, once for consecutive transactions.
 * Each of these after the first is a savepoint, so that it can be rolled back on its own.
 */
export class SqliteConnection {
  private readonly statements = new Map<string, SqliteStatement>();
  private reading = false;
  private readonly ended: Ended[] = [];

  /** @param file absent for an in-memory database */
  constructor(
    private readonly handle: SqliteHandle,
    private readonly file?: SqliteFile,
  ) {}

  /** How many transactions have ended and wait for `flush`; until then only another writer may use the connection. */
  get unflushed(): number {
    return this.ended.length;
  }

  rows(sql: string, parameters: Parameter[], isLast?: IsLast): Row[] {
    this.beginReading();
    const statement = this.statement(sql);
    return isLast ? statement.through(isLast, parameters) : statement.all(...parameters);
  }

  /** The first row. Costs two thirds of a list with one row. */
  row(sql: string, parameters: Parameter[]): Row | undefined {
    this.beginReading();
    return this.statement(sql).get(...parameters);
  }

  private beginReading(): void {
    this.file?.requireSame();
    if (this.handle.inTransaction) return;
    this.statement('BEGIN').run();
    this.reading = true;
    process.nextTick(this.endReading);
  }

  /** Later reads see everything committed until now, by any process. */
  private readonly endReading = (): void => {
    if (this.reading && this.handle.inTransaction) this.statement('END').run();
    this.reading = false;
  };

  run(sql: string, parameters: Parameter[] = []): WriteResult {
    this.file?.requireSame();
    this.endReading();
    return { affectedRows: this.statement(sql).run(...parameters).changes, insertId: 0 };
  }

  begin(): void {
    this.run(this.unflushed === 0 ? sqliteDialect.begin : 'SAVEPOINT follower');
  }

  /** Ends a transaction; resolves once `flush` has made it durable, rejects if that fails. */
  commit(): Promise<void> {
    if (this.unflushed > 0) this.run('RELEASE follower');
    return this.flushed();
  }

  /** Rolls back a transaction; resolves once everything it may have read is durable, rejects if that fails. */
  rollBack(): Promise<void> {
    if (this.unflushed === 0) {
      this.run('ROLLBACK');
      return Promise.resolve();
    }
    this.run('ROLLBACK TO follower');
    this.run('RELEASE follower');
    return this.flushed();
  }

  private flushed(): Promise<void> {
    return new Promise((resolve, reject) => this.ended.push({ resolve, reject }));
  }

  /** Makes ended transactions durable, and checks that the file is still the one at its path. */
  flush(): void {
    try {
      this.run('COMMIT');
      this.file?.check();
      for (const { resolve } of this.ended.splice(0)) resolve();
    } catch (error) {
      this.reset(error);
    }
  }

  /**
   * Rolls back everything that is not durable, for a connection in an unknown state; ended transactions reject with the
   * error.
   */
  reset(error: unknown): void {
    this.reading = false;
    if (this.handle.inTransaction) this.statement('ROLLBACK').run();
    for (const { reject } of this.ended.splice(0)) reject(error);
  }

  /** Prepared statements, cached by their SQL. When there are too many, the cache is cleared. */
  private statement(sql: string): SqliteStatement {
    const known = this.statements.get(sql);
    if (known) return known;
    if (this.statements.size === MAX_CACHED_STATEMENTS) this.statements.clear();
    const statement = new SqliteStatement(this.handle.prepare(sql));
    this.statements.set(sql, statement);
    return statement;
  }
}
