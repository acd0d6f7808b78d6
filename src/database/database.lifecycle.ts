import type { DataSource } from 'typeorm';
import { SettingError, type Settings } from '../config/settings.js';
import { before } from './before.js';
import { createDataSource, cutConnections, dataSourceOptions, sqliteHandle } from './data-source.js';
import { Database } from './database.js';
import { requireUsers } from './expected.js';
import { DatabaseHealth } from './health.js';
import { bringUpToDate } from './migrate.js';
import { MysqlSessions } from './mysql/sessions.js';
import { type Probe, probe } from './probe.js';
import type { SessionSource, Usage } from './session.js';
import { isCorrupt } from './sqlite/dialect.js';
import { SqliteSessions } from './sqlite/sessions.js';
import { unavailable } from './unavailable.js';
import { whyNotOpen } from './why-not-open.js';

const REOPEN_PAUSE_MS = 1_000;
const OPEN_TIMEOUT_MS = 8_000;
const DOCTOR = 'run "npm run commands -- doctor", which says what to do';

/**
 * Opens the database, keeps trying while a server is away, refuses an outdated schema, and closes it. Until it is open,
 * every use of `database` rejects with 503 / 201.
 */
export class DatabaseLifecycle {
  private readonly health = new DatabaseHealth((error) => this.logCorruption(error));
  readonly database = new Database(() => this.requireSource(), this.health);
  private source?: SessionSource;
  /** True once the database has been open. */
  wasReached = false;
  private reopening?: NodeJS.Timeout;
  private closed = false;
  private probing?: Promise<Probe>;

  /** @param dataSource not open yet */
  constructor(
    private readonly settings: Settings,
    private readonly dataSource: DataSource,
    private readonly log: Log = { warn: () => undefined, error: () => undefined },
  ) {}

  /** For a process without Nest. */
  static async of(settings: Settings): Promise<DatabaseLifecycle> {
    return new DatabaseLifecycle(settings, createDataSource(await dataSourceOptions(settings)));
  }

  /**
   * Resolves when the database is open, or when its server is away, and then retries every second. Rejects with
   * `SettingError` when the settings or a pending migration make serving impossible; if that turns out only later, or the
   * SQLite file is removed or replaced, calls `onRefusal`.
   */
  async start(onRefusal: (error: SettingError) => void): Promise<void> {
    try {
      await this.open(onRefusal);
    } catch (error) {
      if (error instanceof SettingError) throw error;
      this.log.warn(`database not available, retrying: ${(error as Error).message}`);
      this.reopenLater(onRefusal);
    }
  }

  private reopenLater(onRefusal: (error: SettingError) => void): void {
    if (this.closed) return;
    this.reopening = setTimeout(() => {
      this.start(onRefusal).catch((error: unknown) => onRefusal(error as SettingError));
    }, REOPEN_PAUSE_MS);
    this.reopening.unref();
  }

  private async open(onRefusal: (error: SettingError) => void): Promise<void> {
    const timeout = unavailable(new Error('timed out'));
    try {
      await before(OPEN_TIMEOUT_MS, this.initialize(), timeout);
      this.source = await this.sessions(onRefusal);
    } catch (error) {
      // Ends whatever still waits on these connections, so that the data source can be opened again.
      cutConnections(this.dataSource);
      await this.close();
      throw error;
    }
    if (this.closed) return this.close();
    this.wasReached = true;
  }

  private async initialize(): Promise<void> {
    try {
      await this.dataSource.initialize();
      if (this.settings.databaseMustHaveUsers) await requireUsers(this.dataSource);
      await bringUpToDate(this.dataSource, this.settings);
    } catch (error) {
      throw whyNotOpen(this.settings.databaseUrl, error);
    }
  }

  private async sessions(onRefusal: (error: SettingError) => void): Promise<SessionSource> {
    const sqlite = sqliteHandle(this.dataSource);
    if (!sqlite) return new MysqlSessions(this.dataSource);
    return SqliteSessions.of(this.dataSource, sqlite, ({ message }) => {
      if (!this.closed)
        onRefusal(new SettingError(`DATABASE_URL: ${message}; put the right file there and start again`));
    });
  }

  private async close(): Promise<void> {
    this.source?.close?.();
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }

  private logCorruption(error: unknown): void {
    if (isCorrupt(error)) this.log.error(`the database file is corrupt (${(error as Error).message}): ${DOCTOR}`);
  }

  private requireSource(): SessionSource {
    if (!this.source) throw unavailable(new Error('not open yet'));
    return this.source;
  }

  /** True when reading the schema succeeds within two seconds. Never rejects. */
  async isReachable(): Promise<boolean> {
    return (await this.probe()).isReachable;
  }

  /** Concurrent callers share one probe: anybody may ask, and it takes a connection. */
  private probe(): Promise<Probe> {
    this.probing ??= probe(this.database).finally(() => (this.probing = undefined));
    return this.probing;
  }

  /** True when the database responds and nothing indicates that it refuses writes. Never rejects. */
  async isUp(): Promise<boolean> {
    const { isReachable, isReadOnly } = await this.probe();
    return isReachable && !isReadOnly && this.health.isGood;
  }

  /** SQLite's error message if the file turned out to be corrupt. */
  get damage(): string | undefined {
    return isCorrupt(this.health.damage ?? {}) ? (this.health.damage as Error).message : undefined;
  }

  usage(): Usage {
    const { used, waiting, queued } = this.source?.usage() ?? { used: 0, waiting: 0, queued: 0 };
    return { used, waiting, queued: queued + this.database.queued };
  }

  async stop(): Promise<void> {
    this.closed = true;
    clearTimeout(this.reopening);
    await this.close();
  }
}

interface Log {
  warn(message: string): void;
  error(message: string): void;
}
