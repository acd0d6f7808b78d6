import { type DataSource, MigrationExecutor } from 'typeorm';
import { SettingError, type Settings } from '../config/settings.js';
import { createDataSource, dataSourceOptions } from './data-source.js';
import { requireDatabaseFile } from './expected.js';
import { whyNotOpen } from './why-not-open.js';

const LOCK_NAME = 'reading-list-migrations';
const LOCK_TIMEOUT_SECONDS = 60;
/** For SQLite: 25 seconds in total. */
const LOCK_TRIES = 500;
const LOCK_PAUSE_MS = 50;

/** Runs the pending migrations of `DATABASE_URL`, or only checks; returns the names of those run or pending. */
export async function migrateDatabase(settings: Settings, checkOnly: boolean): Promise<string[]> {
  if (checkOnly) requireDatabaseFile(settings);
  const dataSource = createDataSource(await dataSourceOptions(settings));
  await dataSource.initialize().catch((error: unknown) => {
    throw whyNotOpen(settings.databaseUrl, error);
  });
  try {
    return await (checkOnly ? pendingMigrations(dataSource) : runMigrations(dataSource));
  } finally {
    await dataSource.destroy();
  }
}

/** Names of the migrations that have not run yet, oldest first. */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const applied = await appliedMigrations(dataSource);
  return dataSource.migrations.map(({ name }) => name!).filter((name) => !applied.has(name));
}

async function appliedMigrations(dataSource: DataSource): Promise<Set<string>> {
  const runner = dataSource.createQueryRunner();
  try {
    if (!(await runner.hasTable('migrations'))) return new Set();
    const rows = (await runner.query('SELECT name FROM migrations')) as { name: string }[];
    return new Set(rows.map(({ name }) => name));
  } finally {
    await runner.release();
  }
}

/**
 * Runs pending migrations and returns their names. If several processes call it at once, all but one wait and find
 * nothing left to do. An interrupted run can be repeated.
 */
export function runMigrations(dataSource: DataSource): Promise<string[]> {
  return dataSource.options.type === 'better-sqlite3' ? runOnSqlite(dataSource) : runOnMysql(dataSource);
}

/** SQLite can change tables in a transaction, and only one process at a time can have a write transaction. */
async function runOnSqlite(dataSource: DataSource): Promise<string[]> {
  await beginImmediate(dataSource);
  try {
    const done = await dataSource.runMigrations({ transaction: 'none' });
    await dataSource.query('COMMIT');
    return done.map(({ name }) => name);
  } catch (error) {
    await dataSource.query('ROLLBACK');
    throw error;
  }
}

/** Waits for another process's lock here, because waiting in SQLite would block the event loop. */
async function beginImmediate(dataSource: DataSource): Promise<void> {
  await dataSource.query('PRAGMA busy_timeout = 0');
  for (let tries = 1; ; tries++) {
    try {
      await dataSource.query('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== 'SQLITE_BUSY' || tries === LOCK_TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOCK_PAUSE_MS));
    }
  }
}

async function runOnMysql(dataSource: DataSource): Promise<string[]> {
  const runner = dataSource.createQueryRunner();
  try {
    const [row] = (await runner.query('SELECT GET_LOCK(?, ?) AS locked', [LOCK_NAME, LOCK_TIMEOUT_SECONDS])) as {
      locked: number | null;
    }[];
    if (row?.locked !== 1) throw new Error('another process has been running migrations for a minute');
    // On the connection that holds the lock, as the pool may have no other.
    const executor = new MigrationExecutor(dataSource, runner);
    executor.transaction = 'none';
    const done = await executor.executePendingMigrations();
    await runner.query('SELECT RELEASE_LOCK(?)', [LOCK_NAME]);
    return done.map(({ name }) => name);
  } finally {
    await runner.release();
  }
}

/**
 * Brings the schema up to date if the settings allow it. Rejects with `SettingError` if that is left to the operator.
 */
export async function bringUpToDate(dataSource: DataSource, { migrateOnStart }: Settings): Promise<void> {
  if (dataSource.options.type === 'better-sqlite3' || migrateOnStart) {
    await runMigrations(dataSource);
    return;
  }
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0)
    throw new SettingError(
      `DATABASE_URL: ${pending.length} pending migration(s); run "npm run migrate" or set MIGRATE_ON_START=true`,
    );
}
