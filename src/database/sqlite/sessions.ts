import type { Database as SqliteHandle } from 'better-sqlite3';
import type { DataSource } from 'typeorm';
import type { LoanedSession, SessionSource, Tally, Usage } from '../session.js';
import { SqliteConnection, SqliteReader } from './connection.js';
import { sqliteDialect } from './dialect.js';
import { SqliteFile } from './file.js';
import { type Pauses, SqliteSession } from './session.js';
import { SqliteWriter } from './writer.js';

/**
 * Two connections to a SQLite file: one writes, one reads, so that readers see only what is committed and never wait. An
 * in-memory database has one connection. Several processes may share a file.
 */
export class SqliteSessions implements SessionSource {
  readonly dialect = sqliteDialect;
  private readonly writer: SqliteWriter;
  private readonly pauses: Pauses = new Map();

  private constructor(
    private readonly dataSource: DataSource,
    handle: SqliteHandle,
    private readonly reader?: SqliteReader,
    private readonly file?: SqliteFile,
  ) {
    handle.pragma('busy_timeout = 0');
    this.writer = new SqliteWriter(
      new SqliteConnection(handle),
      () => this.reader?.unlock(),
      () => this.file?.check(),
    );
  }

  /**
   * @param handle the data source's connection
   * @param onMoved called once, soon after the file is found to be removed or replaced
   */
  static async of(
    dataSource: DataSource,
    handle: SqliteHandle,
    onMoved: (error: Error) => void,
  ): Promise<SqliteSessions> {
    if (handle.memory) return new SqliteSessions(dataSource, handle);
    const { default: Sqlite } = await import('better-sqlite3');
    const reader = new SqliteReader(new Sqlite(handle.name, { readonly: true, fileMustExist: true, timeout: 0 }));
    return new SqliteSessions(dataSource, handle, reader, new SqliteFile(handle, onMoved));
  }

  usage(): Usage {
    return { ...this.writer.usage(), queued: 0 };
  }

  acquire(tally: Tally): Promise<LoanedSession> {
    this.file?.requireSame();
    return Promise.resolve(new SqliteSession(this.dataSource, this.writer, this.reader, tally, this.pauses));
  }

  close(): void {
    this.file?.close();
    this.reader?.close();
  }
}
