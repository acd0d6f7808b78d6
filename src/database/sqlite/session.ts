import { setImmediate as othersHadTurn } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { type LoanedSession, type Parameter, type Row, type Tally, unavailable, type WriteResult } from '../session.js';
import type { SqliteConnection, SqliteReader } from './connection.js';
import { sqliteDialect } from './dialect.js';
import type { SqliteWriter } from './writer.js';

/** After a read that took longer, other users' requests go first. */
const LONG_READ_MS = 5;
const PAUSE_TIMEOUT_MS = 4_000;

/** The pauses of users after a long read, by account: their next read waits for the end. */
export type Pauses = Map<string, Promise<void>>;

/** Reads on one connection; transactions, and single statements that write, are on the other. */
export class SqliteSession implements LoanedSession {
  readonly dialect = sqliteDialect;
  private isWriting = false;
  private hasEnded = false;

  /** @param reader absent for an in-memory database, which has only one connection */
  constructor(
    readonly dataSource: DataSource,
    private readonly writer: SqliteWriter,
    private readonly reader: SqliteReader | undefined,
    private readonly tally: Tally,
    private readonly pauses: Pauses,
  ) {}

  rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    return this.read((connection) => connection.rows(sql, parameters));
  }

  row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return this.read((connection) => connection.row(sql, parameters));
  }

  private async read<T>(action: (connection: SqliteConnection) => T): Promise<T> {
    this.count();
    const { writer, reader } = this;
    if (this.isWriting) return action(writer.connection);
    if (this.pauses.size > 0) await this.pauseOver();
    const start = performance.now();
    // Between transactions, because the only connection sees what is not committed yet.
    const result = reader ? action(reader) : await writer.betweenTransactions(() => action(writer.connection));
    if (performance.now() - start > LONG_READ_MS) await this.pause();
    return result;
  }

  private pause(): Promise<void> {
    const { key = '' } = this.tally;
    const pause = othersHadTurn().then(() => void this.pauses.delete(key));
    this.pauses.set(key, pause);
    return pause;
  }

  private async pauseOver(): Promise<void> {
    const end = performance.now() + PAUSE_TIMEOUT_MS;
    const { key = '' } = this.tally;
    for (let pause = this.pauses.get(key); pause; pause = this.pauses.get(key)) {
      await pause;
      if (performance.now() > end) throw unavailable(new Error('other reads of the same user took too long'));
    }
  }

  async run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    this.count();
    const { connection } = this.writer;
    if (this.isWriting) return connection.run(sql, parameters);
    await this.writer.begin();
    let result: WriteResult;
    try {
      result = connection.run(sql, parameters);
    } catch (error) {
      await this.writer.rollBack();
      throw error;
    }
    await this.writer.commit();
    return result;
  }

  async begin(): Promise<void> {
    this.count();
    await this.writer.begin();
    this.isWriting = true;
  }

  commit(): Promise<void> {
    return this.end(() => this.writer.commit());
  }

  rollBack(): Promise<void> {
    return this.end(() => this.writer.rollBack());
  }

  /** Ends the transaction, if one has begun. The next one begins before this one is durable. */
  private async end(action: () => Promise<void>): Promise<void> {
    if (!this.isWriting) return;
    this.count();
    const durable = action();
    this.isWriting = false;
    this.hasEnded = true;
    return durable;
  }

  release(): void {
    this.hasEnded = true;
  }

  destroy(): void {
    if (this.isWriting) this.writer.abandon();
    this.isWriting = false;
    this.hasEnded = true;
  }

  private count(): void {
    this.tally.statements++;
    if (this.hasEnded) throw new Error('the session has ended');
  }
}
