import {
  type Parameter,
  placeholders,
  type Row,
  type Session,
  tooLarge,
  unavailable,
  type WriteResult,
} from '../database/session.js';
import type { Begin } from '../database/transaction.js';
import { ApiError } from '../protocol/api-error.js';

/** The length of the texts in collected rows, which is far below the largest statement of the service. */
const MAX_COLLECTED = 100_000;

/** The session of a transaction that several pieces of work share: it remembers what concerns all of them. */
export class WatchedSession implements Session {
  readonly dataSource = this.session.dataSource;
  readonly dialect = this.session.dialect;
  /** The error after which the whole transaction has to be repeated or given up; the server may have undone all of it. */
  failure?: unknown;
  /** How many statements have changed rows. */
  writes = 0;
  /** One of the collected rows is a duplicate or the like, so that none was inserted. */
  refusedRows = false;
  private isCollecting = false;
  /** The statement that inserts the collected rows, without its values. */
  private insert = '';
  private readonly collected: Parameter[][] = [];
  private collectedLength = 0;

  /** @param mayCollect whether rows may be collected, on a server: in a file a statement costs next to nothing */
  constructor(
    private readonly session: Session,
    private readonly beginTransaction: Begin,
    private readonly mayCollect: boolean,
  ) {}

  begin(): Promise<void> {
    return this.watch(() => this.beginTransaction());
  }

  rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    return this.watch(() => this.session.rows(sql, parameters));
  }

  row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return this.watch(() => this.session.row(sql, parameters));
  }

  async run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    const result = await this.watch(() => this.session.run(sql, parameters));
    if (result.affectedRows > 0) this.writes++;
    return result;
  }

  /** Inserts the first row at once, as duplicates come together; collects others: 25 new articles take two INSERTs. */
  async insertRow(insert: string, row: Parameter[]): Promise<void> {
    if (!this.isCollecting) {
      await this.run(insert + placeholders(row), row);
      this.isCollecting = this.mayCollect && !this.dialect.isLocal;
      return;
    }
    if (insert !== this.insert) await this.sendRows();
    this.writes++;
    this.insert = insert;
    this.collected.push(row);
    for (const value of row) if (typeof value === 'string') this.collectedLength += value.length;
    if (this.collectedLength > MAX_COLLECTED) await this.sendRows();
  }

  /** Inserts the collected rows. Rejects with 503 / 201 if one of them cannot be inserted: none is. */
  async sendRows(): Promise<void> {
    const rows = this.collected.splice(0);
    if (rows.length === 0) return;
    this.collectedLength = 0;
    try {
      await this.watch(() => this.session.run(this.insert + rows.map(placeholders).join(', '), rows.flat()));
    } catch (error) {
      this.refusedRows = true;
      throw unavailable(error);
    }
  }

  /** Runs a statement after the collected rows. */
  private async watch<T>(statement: () => Promise<T>): Promise<T> {
    await this.sendRows();
    try {
      return await statement();
    } catch (error) {
      // A duplicate key, too many bytes or a defect undoes the statement only, and concerns whoever sent it.
      const kind = error instanceof ApiError ? 'away' : this.dialect.classify(error);
      if (kind === 'tooLarge') throw tooLarge(error);
      if (kind !== 'duplicate' && kind !== 'bug') this.failure ??= error;
      throw error;
    }
  }
}
