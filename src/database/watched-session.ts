import type { DataSource } from 'typeorm';
import { ApiError } from '../protocol/api-error.js';
import { type Dialect, type Parameter, type Row, type Session, tooLarge, type WriteResult } from './session.js';
import type { Begin } from './transaction.js';

/** The session of a transaction that several pieces of work share: it remembers what concerns all of them. */
export class WatchedSession implements Session {
  /** The error after which the whole transaction has to be repeated or given up; the server may have undone all of it. */
  failure?: unknown;
  /** How many statements have changed rows. */
  writes = 0;

  constructor(
    private readonly session: Session,
    private readonly beginTransaction: Begin,
  ) {}

  get dataSource(): DataSource {
    return this.session.dataSource;
  }

  get dialect(): Dialect {
    return this.session.dialect;
  }

  begin(): Promise<void> {
    return this.watch(this.beginTransaction());
  }

  rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    return this.watch(this.session.rows(sql, parameters));
  }

  row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return this.watch(this.session.row(sql, parameters));
  }

  async run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    const result = await this.watch(this.session.run(sql, parameters));
    if (result.affectedRows > 0) this.writes++;
    return result;
  }

  private async watch<T>(statement: Promise<T>): Promise<T> {
    try {
      return await statement;
    } catch (error) {
      // A duplicate key, too many bytes or a defect undoes the statement only, and concerns whoever sent it.
      const kind = error instanceof ApiError ? 'away' : this.dialect.classify(error);
      if (kind === 'tooLarge') throw tooLarge(error);
      if (kind !== 'duplicate' && kind !== 'bug') this.failure ??= error;
      throw error;
    }
  }
}
