import type { Database as SqliteHandle, RunResult, Statement } from 'better-sqlite3';
import type { Parameter, Row, WriteResult } from '../session.js';

const MAX_CACHED_STATEMENTS = 200;
/** Longer ones, with many filters, seldom come again, and take memory that V8 does not count. */
const LONGEST_CACHED = 2_000;

/** A connection to a SQLite database. better-sqlite3 runs every statement synchronously. */
export class SqliteConnection {
  private readonly statements = new Map<string, SqliteStatement>();

  constructor(readonly handle: SqliteHandle) {}

  rows(sql: string, parameters: Parameter[]): Row[] {
    return this.statement(sql).all(...parameters);
  }

  /** Costs two thirds of a list with one row. */
  row(sql: string, parameters: Parameter[]): Row | undefined {
    return this.statement(sql).get(...parameters);
  }

  run(sql: string, parameters: Parameter[] = []): WriteResult {
    return { affectedRows: this.statement(sql).run(...parameters).changes, insertId: 0 };
  }

  protected statement(sql: string): SqliteStatement {
    const known = this.statements.get(sql);
    if (known) return known;
    if (this.statements.size === MAX_CACHED_STATEMENTS) this.statements.clear();
    const statement = new SqliteStatement(this.handle.prepare(sql));
    if (sql.length <= LONGEST_CACHED) this.statements.set(sql, statement);
    return statement;
  }
}

/** Reads what is committed, and waits for nobody. Locks the file, which costs more than a short read, once for each turn. */
export class SqliteReader extends SqliteConnection {
  private readonly lock = this.handle.prepare('BEGIN');
  private readonly end = this.handle.prepare('END');

  protected override statement(sql: string): SqliteStatement {
    if (!this.handle.inTransaction) {
      this.lock.run();
      process.nextTick(this.unlock);
    }
    return super.statement(sql);
  }

  /** Later reads see everything committed until now, by any process. */
  readonly unlock = (): void => {
    if (!this.handle.open || !this.handle.inTransaction) return;
    try {
      this.end.run();
    } catch {
      // A corrupt page, which a read has reported; the transaction is over nevertheless.
    }
  };
}

/** Fetches rows as arrays and builds the objects here: the driver takes twice as long to return objects. */
export class SqliteStatement {
  private readonly columns = this.statement.reader ? this.statement.raw().columns() : [];
  private readonly names = this.columns.map(({ name }) => name);
  private readonly blank: Row = Object.fromEntries(this.names.map((name) => [name, null]));

  constructor(private readonly statement: Statement<Parameter[]>) {}

  all(...parameters: Parameter[]): Row[] {
    return (this.statement.all(...parameters) as Row[string][][]).map((values) => this.row(values));
  }

  get(...parameters: Parameter[]): Row | undefined {
    const values = this.statement.get(...parameters) as Row[string][] | undefined;
    return values && this.row(values);
  }

  run(...parameters: Parameter[]): RunResult {
    return this.statement.run(...parameters);
  }

  private row(values: Row[string][]): Row {
    const row = { ...this.blank };
    for (let at = 0; at < values.length; at++) row[this.names[at]!] = values[at]!;
    return row;
  }
}
