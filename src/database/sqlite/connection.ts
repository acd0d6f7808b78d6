import type { Database as SqliteHandle } from 'better-sqlite3';
import type { IsLast, Parameter, Row, WriteResult } from '../session.js';
import { sqliteDialect } from './dialect.js';
import type { SqliteFile } from './file.js';
import { SqliteStatement } from './statement.js';

const MAX_CACHED_STATEMENTS = 200;

/** A transaction that has ended and is not durable yet. */
interface Ended {
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * The connection to a SQLite file. Two things cost more than all other work and are shared: locking the file, once for all
 * reads before the event loop goes on, and making a commit durable, once for the transactions that follow each other. Each of
 * those is a savepoint of the first one, so that it can be rolled back by itself.
 */
export class SqliteConnection {
  private readonly statements = new Map<string, SqliteStatement>();
  private reading = false;
  private readonly ended: Ended[] = [];

  /** @param file where the database is not in memory */
  constructor(
    private readonly handle: SqliteHandle,
    private readonly file?: SqliteFile,
  ) {}

  /** How many transactions have ended and wait for `flush`; nobody but another writer may use the connection meanwhile. */
  get unflushed(): number {
    return this.ended.length;
  }

  rows(sql: string, parameters: Parameter[], isLast?: IsLast): Row[] {
    this.beginReading();
    const statement = this.statement(sql);
    return isLast ? statement.through(isLast, parameters) : statement.all(...parameters);
  }

  /** The first row: it costs two thirds of a list of one. */
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

  /** What is read from now on is what was committed until now, by whomever. */
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

  /** Ends a transaction; resolves once `flush` has made it durable, rejects when that failed. */
  commit(): Promise<void> {
    if (this.unflushed > 0) this.run('RELEASE follower');
    return this.flushed();
  }

  /** Undoes a transaction; resolves once all that it could read is durable, rejects when that failed. */
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

  /** Makes durable what has ended, in the file that others find under its name. */
  flush(): void {
    try {
      this.run('COMMIT');
      this.file?.look();
      for (const { resolve } of this.ended.splice(0)) resolve();
    } catch (error) {
      this.reset(error);
    }
  }

  /** Undoes all that is not durable, for a connection in an unknown state; transactions that had ended get the error. */
  reset(error: unknown): void {
    this.reading = false;
    if (this.handle.inTransaction) this.statement('ROLLBACK').run();
    for (const { reject } of this.ended.splice(0)) reject(error);
  }

  /** Prepared statements by their text; when they become too many, all are prepared again as they come. */
  private statement(sql: string): SqliteStatement {
    const known = this.statements.get(sql);
    if (known) return known;
    if (this.statements.size === MAX_CACHED_STATEMENTS) this.statements.clear();
    const statement = new SqliteStatement(this.handle.prepare(sql));
    this.statements.set(sql, statement);
    return statement;
  }
}
