import type { Database as SqliteHandle, Statement } from 'better-sqlite3';
import type { Parameter, Row, WriteResult } from './session.js';
import { sqliteDialect } from './sqlite.dialect.js';

const MAX_CACHED_STATEMENTS = 200;

/** A statement, and what makes a row of the values of its columns. */
interface Prepared {
  statement: Statement;
  toRow: (values: Row[string][]) => Row;
}

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
  private readonly statements = new Map<string, Prepared>();
  private reading = false;
  private readonly ended: Ended[] = [];

  constructor(private readonly handle: SqliteHandle) {}

  /** How many transactions have ended and wait for `flush`; nobody but another writer may use the connection meanwhile. */
  get unflushed(): number {
    return this.ended.length;
  }

  rows(sql: string, parameters: Parameter[]): Row[] {
    this.beginReading();
    const { statement, toRow } = this.prepared(sql);
    return (statement.all(...parameters) as Row[string][][]).map(toRow);
  }

  /** The first row: it costs two thirds of a list of one. */
  row(sql: string, parameters: Parameter[]): Row | undefined {
    this.beginReading();
    const { statement, toRow } = this.prepared(sql);
    const values = statement.get(...parameters) as Row[string][] | undefined;
    return values && toRow(values);
  }

  private beginReading(): void {
    if (this.handle.inTransaction) return;
    this.prepared('BEGIN').statement.run();
    this.reading = true;
    process.nextTick(this.endReading);
  }

  /** What is read from now on is what was committed until now, by whomever. */
  private readonly endReading = (): void => {
    if (this.reading && this.handle.inTransaction) this.prepared('END').statement.run();
    this.reading = false;
  };

  run(sql: string, parameters: Parameter[] = []): WriteResult {
    this.endReading();
    return { affectedRows: this.prepared(sql).statement.run(...parameters).changes, insertId: 0 };
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

  /** Makes durable what has ended. */
  flush(): void {
    try {
      this.run('COMMIT');
      for (const { resolve } of this.ended.splice(0)) resolve();
    } catch (error) {
      this.reset(error);
    }
  }

  /** Undoes all that is not durable, for a connection in an unknown state; transactions that had ended get the error. */
  reset(error: unknown): void {
    this.reading = false;
    if (this.handle.inTransaction) this.run('ROLLBACK');
    for (const { reject } of this.ended.splice(0)) reject(error);
  }

  /** Prepared statements by their text; when they become too many, all are prepared anew as they come. */
  private prepared(sql: string): Prepared {
    const known = this.statements.get(sql);
    if (known) return known;
    if (this.statements.size === MAX_CACHED_STATEMENTS) this.statements.clear();
    const statement = this.handle.prepare(sql);
    const prepared = { statement, toRow: rowMaker(statement) };
    this.statements.set(sql, prepared);
    return prepared;
  }
}

/**
 * Has the driver hand over rows as arrays, and makes objects of them: the driver's own objects of twenty columns take it twice as
 * long as arrays.
 */
export function rowMaker(statement: Statement): Prepared['toRow'] {
  if (statement.reader) statement.raw();
  const names = statement.reader ? statement.columns().map(({ name }) => name) : [];
  const blank: Row = Object.fromEntries(names.map((name) => [name, null]));
  return (values) => {
    const row = { ...blank };
    for (let at = 0; at < names.length; at++) row[names[at]!] = values[at]!;
    return row;
  };
}
