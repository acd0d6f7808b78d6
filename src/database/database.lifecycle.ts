import type { Database as SqliteHandle } from 'better-sqlite3';
import type { Pool } from 'mysql2';
import { DataSource } from 'typeorm';
import { SettingError, type Settings } from '../config/settings.js';
import { dataSourceOptions } from './data-source.js';
import { Database } from './database.js';
import { pendingMigrations, runMigrations } from './migrate.js';
import { mysqlDialect } from './mysql.dialect.js';
import { MysqlSessions } from './mysql.sessions.js';
import { observedSessions, type StatementObserver } from './observed.sessions.js';
import type { SessionSource } from './session.js';
import { SqliteSessions } from './sqlite.sessions.js';
import { unavailable } from './unavailable.js';

const REOPEN_PAUSE_MS = 1_000;
const OPEN_TIMEOUT_MS = 8_000;
const HEALTH_TIMEOUT_MS = 2_000;
/** Unknown user, database or right: waiting does not help, the operator has to change a setting. */
const CONFIGURATION_ERRORS = new Set([1044, 1045, 1049, 1251, 1698]);

/**
 * Opens the database, keeps trying while a server is away, refuses a schema that is behind, and closes. Until it is open
 * every use of `database` is answered 503 / 201.
 */
export class DatabaseLifecycle {
  readonly database = new Database(() => this.requireSource());
  private dataSource?: DataSource;
  private source?: SessionSource;
  private reopening?: NodeJS.Timeout;
  private closed = false;
  private readonly observers: StatementObserver[] = [];

  constructor(
    private readonly settings: Settings,
    private readonly log: { warn(message: string): void } = { warn: () => undefined },
  ) {}

  /** Shows all statements to `observer`; to be called before `start`. */
  observe(observer: StatementObserver): void {
    this.observers.push(observer);
  }

  /**
   * Resolves when the database is open, or when its server is away: then it goes on trying every second.
   * Rejects with `SettingError` when the settings or a pending migration make serving impossible; when that shows only later,
   * `onRefusal` is called.
   */
  async start(onRefusal: (error: SettingError) => void): Promise<void> {
    try {
      await this.open();
    } catch (error) {
      if (error instanceof SettingError) throw error;
      this.log.warn(`database not available, trying again: ${(error as Error).message}`);
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

  private async open(): Promise<void> {
    const dataSource = new DataSource(dataSourceOptions(this.settings));
    const opening = this.initialize(dataSource);
    const timeout = unavailable(new Error('timed out'));
    await before(OPEN_TIMEOUT_MS, opening, timeout).catch((error: unknown) => {
      opening.then(() => dataSource.destroy()).catch(() => undefined);
      throw error;
    });
    if (this.closed) return dataSource.destroy();
    this.dataSource = dataSource;
    this.source = this.observers.reduce(observedSessions, sessionsOf(dataSource));
  }

  private async initialize(dataSource: DataSource): Promise<void> {
    try {
      await dataSource.initialize();
      await this.bringUpToDate(dataSource);
    } catch (error) {
      if (dataSource.isInitialized) await dataSource.destroy();
      throw error instanceof SettingError ? error : this.explain(error as Error & { errno?: number });
    }
  }

  private async bringUpToDate(dataSource: DataSource): Promise<void> {
    if (dataSource.options.type === 'better-sqlite3' || this.settings.migrateOnStart) {
      await runMigrations(dataSource);
      return;
    }
    const pending = await pendingMigrations(dataSource);
    if (pending.length > 0)
      throw new SettingError(
        `DATABASE_URL: ${pending.length} pending migration(s); run "npm run migrate" or set MIGRATE_ON_START=true`,
      );
  }

  private explain(error: Error & { errno?: number; code?: string }): Error {
    const isPermanent = this.settings.databaseUrl.startsWith('sqlite:')
      ? mysqlDialect.classify(error) === 'bug'
      : CONFIGURATION_ERRORS.has(error.errno ?? 0);
    return isPermanent ? new SettingError(`DATABASE_URL: can not be opened: ${error.message.split('\n')[0]}`) : error;
  }

  private requireSource(): SessionSource {
    if (!this.source) throw unavailable(new Error('not open yet'));
    return this.source;
  }

  /** True when a read of the schema succeeds within two seconds. Never rejects. */
  async isUp(): Promise<boolean> {
    const probe = this.database.read((session) => session.rows('SELECT 1 FROM accounts LIMIT 1', [])).then(() => true);
    return before(HEALTH_TIMEOUT_MS, probe, new Error('timed out')).catch(() => false);
  }

  usage() {
    return this.source?.usage() ?? { used: 0, waiting: 0 };
  }

  async stop(): Promise<void> {
    this.closed = true;
    clearTimeout(this.reopening);
    if (this.dataSource?.isInitialized) await this.dataSource.destroy();
  }
}

function sessionsOf(dataSource: DataSource): SessionSource {
  const driver = dataSource.driver as unknown as { pool: Pool; databaseConnection: SqliteHandle };
  return dataSource.options.type === 'better-sqlite3'
    ? new SqliteSessions(driver.databaseConnection)
    : new MysqlSessions(driver.pool);
}

/** The outcome of `promise`, or a rejection with `late` when it takes longer than `ms`. */
function before<T>(ms: number, promise: Promise<T>, late: Error): Promise<T> {
  let timer: NodeJS.Timeout;
  const timeout = new Promise<never>((_, reject) => (timer = setTimeout(() => reject(late), ms)));
  return Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}
