import { renameSync, statSync } from 'node:fs';

const GLANCE_INTERVAL_MS = 1_000;

/**
 * The SQLite file that a connection was opened on. Removed or replaced, it goes on taking writes that nobody finds again: the
 * connection belongs to the file and not to its name.
 */
export class SqliteFile {
  /** Set once the file is no longer the one of its name: the connection is of no use any more. */
  failure?: Error;
  private readonly self: string | undefined;
  private readonly log: string | undefined;
  private readonly index: string | undefined;
  private looked = performance.now();

  /** @param onMoved called once, soon after the file was found to be removed or replaced */
  constructor(
    private readonly path: string,
    private readonly onMoved: () => void,
  ) {
    this.self = identity(path);
    this.log = identity(`${path}-wal`);
    this.index = identity(`${path}-shm`);
  }

  /** Throws when the file is known to be removed or replaced; looks once a second. */
  glance(): void {
    if (performance.now() - this.looked > GLANCE_INTERVAL_MS) this.look();
    else this.requireSame();
  }

  /** Looks, and throws when the file has been removed or replaced. */
  look(): void {
    this.looked = performance.now();
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
   * Renames the log that this file left beside its name, unless the file itself is back: SQLite would write it into the one that
   * is there now. Nothing is deleted. Returns the new name.
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

/** Which file a name stands for: another one has another. */
function identity(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat && `${stat.dev}:${stat.ino}`;
}
