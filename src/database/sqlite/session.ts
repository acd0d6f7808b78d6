import type { DataSource } from 'typeorm';
import type { IsLast, LoanedSession, Parameter, Row, Tally, WriteResult } from '../session.js';
import type { SqliteConnection } from './connection.js';

/** What a session needs from its source. */
export interface Loan {
  /** Call it when another process holds the write lock; resolves when a retry is worthwhile. */
  lockedOut(): Promise<void>;
  end(): void;
}

/** The connection while it is lent: to one writer, or shared by readers. */
export class SqliteSession implements LoanedSession {
  private hasEnded = false;

  constructor(
    readonly dataSource: DataSource,
    private readonly connection: SqliteConnection,
    private readonly tally: Tally,
    private readonly loan: Loan,
  ) {}

  rows(sql: string, parameters: Parameter[], isLast?: IsLast): Promise<Row[]> {
    return this.attempt(() => this.connection.rows(sql, parameters, isLast));
  }

  row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return this.attempt(() => this.connection.row(sql, parameters));
  }

  run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    return this.attempt(() => this.connection.run(sql, parameters));
  }

  async begin(): Promise<void> {
    for (;;)
      try {
        return await this.attempt(() => this.connection.begin());
      } catch (error) {
        if (!isBusy(error)) throw error;
        await this.waitForLock();
      }
  }

  private async waitForLock(): Promise<void> {
    try {
      await this.loan.lockedOut();
    } catch (error) {
      // The connection has been taken back.
      this.hasEnded = true;
      throw error;
    }
  }

  commit(): Promise<void> {
    return this.end(() => this.connection.commit());
  }

  rollBack(): Promise<void> {
    return this.end(() => this.connection.rollBack());
  }

  /** Returns the connection before the transaction is durable, so that others can share the commit. */
  private end(action: () => Promise<void>): Promise<void> {
    return this.attempt(() => {
      const durable = action();
      this.release();
      return durable;
    });
  }

  release(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.loan.end();
  }

  destroy(): void {
    if (!this.hasEnded) this.connection.reset(busy());
    this.release();
  }

  private async attempt<T>(action: () => T | Promise<T>): Promise<T> {
    this.tally.statements++;
    if (this.hasEnded) throw new Error('the session has ended');
    return action();
  }
}

const isBusy = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

/** Classified like the driver's own error: safe to retry. */
export const busy = (): Error => Object.assign(new Error('the database stayed busy'), { code: 'SQLITE_BUSY' });
