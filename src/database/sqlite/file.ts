import { renameSync, statSync } from 'node:fs';

const CHECK_INTERVAL_MS = 1_000;

/**
 * The SQLite file that a connection was opened on. After it is removed or replaced, the connection still accepts
 * writes, and these are lost: it belongs to the file, not to its path.
 */
export class SqliteFile {
  /** Set once the path no longer names this file: the connection must not be used any more. */
  failure?: Error;
  private readonly self: string | undefined;
  private readonly log: string | undefined;
  private readonly index: string | undefined;
  private checkedAt = performance.now();

  /** @param onMoved called once, soon after the file is found to be removed or replaced */
  constructor(
    private readonly path: string,
    private readonly onMoved: () => void,
  ) {
    this.self = identity(path);
    this.log = identity(`${path}-wal`);
    this.index = identity(`${path}-shm`);
  }

  /** Throws when the file is known to be removed or replaced; checks once a second. */
  checkPeriodically(): void {
    if (performance.now() - this.checkedAt > CHECK_INTERVAL_MS) this.check();
    else this.requireSame();
  }

  /** Checks now, and throws when the file was removed or replaced. */
  check(): void {
    this.checkedAt = performance.now();
    if (!this.failure && identity(this.path) !== this.self) {
      const message = `${this.path} was removed or replaced while it was open`;
      this.failure = Object.assign(new Error(message), { code: 'SQLITE_READONLY_DBMOVED' });
      setImmediate(this.onMoved);
    }
    this.requireSame();
  }

  /** Throws when the file is known to be removed or replaced. */
  requireSame(): void {
    if (this.failure) throw this.failure;
  }

  /**
   * Renames the write-ahead log that this file left behind, unless the file itself is back: SQLite would apply the log
   * to the new file. Nothing is deleted. Returns the new path.
   */
  setLogAside(): string | undefined {
    if (identity(this.path) === this.self) return undefined;
    const aside = `${this.path}.replaced-${Date.now()}`;
    if (this.index && identity(`${this.path}-shm`) === this.index) renameSync(`${this.path}-shm`, `${aside}-shm`);
    if (!this.log || identity(`${this.path}-wal`) !== this.log) return undefined;
    renameSync(`${this.path}-wal`, `${aside}-wal`);
    return `${aside}-wal`;
  }
}

/** Identifies the file at a path. */
function identity(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
