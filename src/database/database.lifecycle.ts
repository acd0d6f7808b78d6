import { setTimeout as sleep } from 'node:timers/promises';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { SettingError, type Settings } from '../config/settings.js';
import { createDataSource, dataSourceOptions, openDataSource, sqliteHandle } from './data-source.js';
import { Database } from './database.js';
import { requireUsers } from './expected.js';
import { DatabaseHealth } from './health.js';
import { migrateFile, migrateServer, requireMigrated } from './migrate.js';
import { examineServer } from './mysql/server-check.js';
import { MysqlSessions } from './mysql/sessions.js';
import { type SessionSource, unavailable, type Usage } from './session.js';
import { isCorrupt } from './sqlite/dialect.js';
import { SqliteSessions } from './sqlite/sessions.js';
import { whyNotOpen } from './why-not-open.js';

const REOPEN_PAUSE_MS = 1_000;
const PROBE_TIMEOUT_MS = 2_000;
/** How long a start waits for the database before the service answers 503 meanwhile. */
const START_MS = 8_000;
const DOCTOR = 'run "npm run commands -- doctor", which says what to do';

/**
 * Opens the database with the application and closes it with it. Keeps trying while a server is away, and refuses an
 * outdated schema unless it may migrate. Until it is open, every use of `database` rejects with 503 / 201.
 */
export class DatabaseLifecycle implements OnModuleInit, OnApplicationShutdown {
  private readonly health = new DatabaseHealth((error) => this.logCorruption(error));
  readonly database = new Database(() => this.requireSource(), this.health);
  /** Called when it turns out only after the start that the service cannot run with this database. */
  onRefusal: (error: SettingError) => void = () => undefined;
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
  static async of(settings: Settings, log?: Log): Promise<DatabaseLifecycle> {
    return new DatabaseLifecycle(settings, createDataSource(await dataSourceOptions(settings)), log);
  }

  /**
   * Resolves when the database is open, when its server is away, and when it still migrates after eight seconds; it then
   * goes on in the background. Rejects with `SettingError` when only the operator can help.
   */
  async onModuleInit(): Promise<void> {
    const opening = this.openOrRetry();
    await Promise.race([opening, sleep(START_MS, undefined, { ref: false })]);
    opening.catch((error: unknown) => this.onRefusal(error as SettingError));
  }

  /** Tries until the database is open. Resolves after the first attempt; rejects if that was refused. */
  private async openOrRetry(): Promise<void> {
    try {
      await this.open();
    } catch (error) {
      if (error instanceof SettingError) throw error;
      this.log.warn(`database not available, retrying: ${(error as Error).message}`);
      if (!this.closed) this.reopening = setTimeout(() => this.reopen(), REOPEN_PAUSE_MS).unref();
    }
  }

  private reopen(): void {
    this.openOrRetry().catch((error: unknown) => this.onRefusal(error as SettingError));
  }

  private async open(): Promise<void> {
    const { dataSource, settings } = this;
    try {
      const isFile = dataSource.options.type === 'better-sqlite3';
      if (!isFile && settings.migrateOnStart) await migrateServer(settings, !settings.databaseMustHaveUsers);
      await openDataSource(dataSource, () => (isFile ? this.checkFile() : this.checkServer()));
      if (this.closed) return await this.close();
      this.source = await this.sessions();
    } catch (error) {
      await this.close();
      throw whyNotOpen(settings.databaseUrl, error);
    }
    this.wasReached = true;
  }

  private async checkFile(): Promise<void> {
    if (this.settings.databaseMustHaveUsers) await requireUsers(this.dataSource);
    await migrateFile(this.dataSource);
  }

  private async checkServer(): Promise<void> {
    if (this.settings.databaseMustHaveUsers) await requireUsers(this.dataSource);
    const warning = await examineServer(this.dataSource);
    if (warning) this.log.warn(warning);
    await requireMigrated(this.dataSource);
  }

  private async sessions(): Promise<SessionSource> {
    const sqlite = sqliteHandle(this.dataSource);
    if (!sqlite) return new MysqlSessions(this.dataSource);
    return SqliteSessions.of(this.dataSource, sqlite, ({ message }) => {
      if (!this.closed)
        this.onRefusal(new SettingError(`DATABASE_URL: ${message}; put the right file there and start again`));
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

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.reopening);
    await this.close();
  }
}

/** Whether the schema can be read, and whether the server reports itself as read-only. */
interface Probe {
  isReachable: boolean;
  isReadOnly: boolean;
}

/** Probes the database with one statement, for at most two seconds. Never rejects. */
async function probe(database: Database): Promise<Probe> {
  try {
    const sql = `SELECT ${database.dialect.isReadOnly} AS readOnly, EXISTS (SELECT 1 FROM accounts) AS isUsed`;
    const row = database.onSession((session) => session.row(sql, []));
    const state = await Promise.race([row, sleep(PROBE_TIMEOUT_MS, undefined, { ref: false })]);
    return { isReachable: state !== undefined, isReadOnly: Number(state?.readOnly) !== 0 };
  } catch {
    return { isReachable: false, isReadOnly: false };
  }
}

interface Log {
  warn(message: string): void;
  error(message: string): void;
}
