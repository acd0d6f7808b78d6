import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Database as SqliteHandle } from 'better-sqlite3';

/** Watches a connection's file and log: once one is removed or replaced, writes succeed, but no path leads to them. */
export class SqliteFile {
  private failure?: Error;
  private readonly paths = ['', '-wal'].map((suffix) => resolve(this.handle.name) + suffix);
  private readonly own = this.paths.map(identity);
  private readonly timer = setInterval(() => this.look(), 1_000).unref();

  /** @param onMoved called once, soon after the file is found to be removed or replaced: nothing can be served any more */
  constructor(
    private readonly handle: SqliteHandle,
    private readonly onMoved: (error: Error) => void,
  ) {}

  /** Throws when the file is known to be removed or replaced, which is found within a second. */
  requireSame(): void {
    if (this.failure) throw this.failure;
  }

  /** Checks now, and throws when the file was removed or replaced. */
  check(): void {
    this.look();
    this.requireSame();
  }

  close(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    const moved = this.paths.find((path, at) => identity(path) !== this.own[at]);
    if (this.failure || moved === undefined) return;
    const advice = moved.endsWith('-wal') ? 'leave it to SQLite' : 'put the right file there';
    const message = `${moved} was removed or replaced while it was open; ${advice} and start again`;
    const failure = Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED' });
    this.failure = failure;
    // Responses are sent first.
    setTimeout(() => {
      this.emptyLog();
      this.onMoved(failure);
    }, 100);
  }

  /** Writes the log into the file, wherever that is now: SQLite would apply it to the next file of that name. */
  private emptyLog(): void {
    try {
      if (this.handle.inTransaction) this.handle.exec('ROLLBACK');
      this.handle.pragma('busy_timeout = 2000');
      this.handle.pragma('wal_checkpoint(TRUNCATE)');
    } catch {
      // The volume is gone, and the log with it.
    }
  }
}

/** Identifies the file at a path; undefined if there is none that can be reached. */
function identity(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}
