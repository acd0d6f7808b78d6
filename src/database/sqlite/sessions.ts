import { setImmediate as othersHadTurn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import { type Release, Semaphore, Turns } from '../../semaphore.js';
import type { LoanedSession, Parameter, Row, SessionSource, Tally, WriteResult } from '../session.js';
import { SqliteConnection, SqliteReader } from './connection.js';
import { sqliteDialect } from './dialect.js';
import { SqliteFile } from './file.js';
import { LIMITS, LongWrites, SqliteWriter } from './writer.js';

/** After a read that took longer, other users' requests go first, for as long as it took. */
const LONG_READ_MS = 5;

/** A file has two connections: one writes, one reads what is committed and never waits. Processes may share a file. */
export class SqliteSessions implements SessionSource {
  readonly dialect = sqliteDialect;
  readonly writer: SqliteWriter;
  readonly longWrites = new LongWrites();
  readonly reader?: SqliteReader;
  /** Held by a user during the pause after a long read, in which others go first; the user's reads then take turns. */
  readonly reads = new Semaphore({ ...LIMITS, slotsPerKey: 1, timeoutMs: 4_000 });
  /** Gives each read that has waited a turn of its own: otherwise pauses that end together run all their reads in one. */
  readonly turns = new Turns();
  private readonly file?: SqliteFile;

  constructor(
    readonly dataSource: DataSource,
    handle: Sqlite.Database,
    onMoved: (error: Error) => void,
  ) {
    handle.pragma('busy_timeout = 0');
    if (!handle.memory) {
      this.reader = new SqliteReader(new Sqlite(handle.name, { readonly: true, fileMustExist: true, timeout: 0 }));
      this.file = new SqliteFile(handle, onMoved);
    }
    this.writer = new SqliteWriter(new SqliteConnection(handle), this.reader, this.file);
  }

  get usage() {
    const { used, waiting } = this.writer.usage;
    const { all, perUser } = this.longWrites;
    return { used, waiting: waiting + all.waiting, queued: perUser.waiting + this.reads.waiting };
  }

  acquire(tally: Tally, deadline: number): Promise<LoanedSession> {
    this.file?.requireSame();
    return Promise.resolve(new SqliteSession(this, tally, deadline));
  }

  close(): void {
    this.file?.close();
    this.reader?.handle.close();
  }
}

class SqliteSession implements LoanedSession {
  readonly dialect = sqliteDialect;
  readonly dataSource = this.sessions.dataSource;
  private state: 'reading' | 'writing' | 'ended' = 'reading';
  private endLongWrite?: Release;

  constructor(
    private readonly sessions: SqliteSessions,
    private readonly tally: Tally,
    private readonly deadline: number,
  ) {}

  rows(sql: string, parameters: Parameter[]): Promise<Row[]> {
    return this.read((connection) => connection.rows(sql, parameters));
  }

  row(sql: string, parameters: Parameter[]): Promise<Row | undefined> {
    return this.read((connection) => connection.row(sql, parameters));
  }

  private async read<T>(action: (connection: SqliteConnection) => T): Promise<T> {
    this.count();
    const { writer, reader, reads } = this.sessions;
    if (this.state === 'writing') return action(writer.connection);
    const { key = '' } = this.tally;
    // Most reads find no pause, and taking a slot for each would cost as much as a short read.
    let release = reads.isUsedBy(key) ? await reads.acquire(key, this.tally) : undefined;
    if (release) await this.sessions.turns.next();
    const start = performance.now();
    try {
      // In a transaction of its own, because the only connection sees what is not committed yet.
      return reader ? action(reader) : await writer.transact(this.deadline, action);
    } finally {
      const tookMs = performance.now() - start;
      if (tookMs > LONG_READ_MS) {
        release ??= await reads.acquire(key);
        setTimeout(release, tookMs).unref();
        await othersHadTurn();
      } else release?.();
    }
  }

  async run(sql: string, parameters: Parameter[]): Promise<WriteResult> {
    this.count();
    const { writer } = this.sessions;
    if (this.state === 'writing') return writer.connection.run(sql, parameters);
    return writer.transact(this.deadline, (connection) => connection.run(sql, parameters));
  }

  async begin(isLong = false): Promise<void> {
    if (this.state === 'writing') return;
    this.count();
    const { writer, longWrites } = this.sessions;
    if (isLong) this.endLongWrite = await longWrites.begin(writer, this.tally, this.deadline);
    else await writer.begin(this.deadline);
    this.state = 'writing';
  }

  commit(): Promise<void> {
    return this.end(() => this.sessions.writer.commit());
  }

  rollBack(): Promise<void> {
    return this.end(() => this.sessions.writer.rollBack());
  }

  /** The next transaction begins before this one is durable. */
  private async end(action: () => Promise<void>): Promise<void> {
    if (this.state !== 'writing') return;
    this.count();
    const durable = action();
    this.release();
    return durable;
  }

  release(): void {
    this.state = 'ended';
    this.endLongWrite?.();
    this.endLongWrite = undefined;
  }

  destroy(): void {
    if (this.state === 'writing') this.sessions.writer.abandon();
    this.release();
  }

  private count(): void {
    this.tally.statements++;
    if (this.state === 'ended') throw new Error('the session has ended');
  }
}
