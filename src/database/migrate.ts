import { type DataSource, MigrationExecutor } from 'typeorm';
import { SettingError, type Settings } from '../config/settings.js';
import { createDataSource, dataSourceOptions, openDataSource, sqliteHandle } from './data-source.js';
import { withMigrationLock } from './migration-lock.js';
import { Account } from './entities/account.entity.js';
import { beginImmediate } from './sqlite/writer.js';
import { NO_DATABASE, requireDatabaseFile, whyNotOpen } from './why-not-open.js';

/** How long another process may hold the lock of a SQLite file. */
const LOCK_TIMEOUT_MS = 25_000;

/** Runs the pending migrations of `DATABASE_URL`, or only checks; returns the names of those run or pending. */
export async function migrateDatabase(settings: Settings, checkOnly: boolean): Promise<string[]> {
  if (checkOnly) requireDatabaseFile(settings);
  else if (!settings.databaseUrl.startsWith('sqlite:')) return migrateServer(settings, true);
  return withDataSource(settings, async (dataSource) => {
    await openDataSource(dataSource);
    return checkOnly ? pendingMigrations(dataSource) : migrateFile(dataSource);
  });
}

/** Runs `work` with a data source of its own, which is closed afterwards. Rejects with `SettingError` where that helps. */
async function withDataSource<T>(settings: Settings, work: (dataSource: DataSource) => Promise<T>): Promise<T> {
  const dataSource = createDataSource(await dataSourceOptions(settings));
  try {
    return await work(dataSource);
  } catch (error) {
    throw whyNotOpen(settings.databaseUrl, error);
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

/** Names of the migrations that have not run yet, oldest first. */
async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  const pending = await new MigrationExecutor(dataSource).getPendingMigrations();
  return pending.map(({ name }) => name);
}

/** Throws `SettingError` if there are migrations left to run. */
export async function requireMigrated(dataSource: DataSource): Promise<void> {
  const pending = await pendingMigrations(dataSource);
  if (pending.length > 0)
    throw new SettingError(
      `DATABASE_URL: migrations are pending (${pending.length}); run "npm run migrate" or set MIGRATE_ON_START=true`,
    );
}

/**
 * Runs the pending migrations of a server on connections of their own, however long they take, and returns their names.
 * Of several processes all but one wait and find nothing left to do. An interrupted run can be repeated.
 * @param mayBeEmpty whether to create the database, and to go on with one that has no users
 */
export async function migrateServer(settings: Settings, mayBeEmpty: boolean): Promise<string[]> {
  return withDataSource({ ...settings, databasePoolSize: 2 }, async (dataSource) => {
    const { createServerDatabase, examineServer } = await import('./mysql/server.js');
    await openDataSource(dataSource).catch(async (error: NodeJS.ErrnoException) => {
      if (!mayBeEmpty || !NO_DATABASE.includes(error.errno ?? 0)) throw error;
      await createServerDatabase(settings.databaseUrl).catch(() => Promise.reject(error));
      await openDataSource(dataSource);
    });
    await examineServer(dataSource);
    if (!mayBeEmpty) await requireUsers(dataSource);
    if ((await pendingMigrations(dataSource)).length === 0) return [];
    // They run on one connection, while the other one renews the lock.
    return withMigrationLock(dataSource, () => runPending(dataSource));
  });
}

async function runPending(dataSource: DataSource): Promise<string[]> {
  return (await dataSource.runMigrations({ transaction: 'none' })).map(({ name }) => name);
}

/**
 * Runs the pending migrations of a SQLite file, in one transaction: SQLite can change tables in it, and only one process
 * at a time can write. Rejects if nobody can write the file, even if there is nothing left to do.
 */
export async function migrateFile(dataSource: DataSource): Promise<string[]> {
  const handle = sqliteHandle(dataSource)!;
  handle.pragma('busy_timeout = 0');
  await beginImmediate((sql) => handle.exec(sql), LOCK_TIMEOUT_MS);
  try {
    const done = await runPending(dataSource);
    handle.exec('DELETE FROM migrations WHERE id < 0; COMMIT');
    return done;
  } catch (error) {
    // SQLite has rolled back already where the disk is full.
    if (handle.inTransaction) handle.exec('ROLLBACK');
    throw error;
  }
}

/** Throws `SettingError` when the database has no users although DATABASE_MUST_HAVE_USERS says it has. */
export async function requireUsers(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    const { tableName } = dataSource.getMetadata(Account);
    if ((await runner.hasTable(tableName)) && (await runner.manager.exists(Account))) return;
  } finally {
    await runner.release();
  }
  throw new SettingError(
    'DATABASE_URL: the database is empty, and DATABASE_MUST_HAVE_USERS=true; check its URL and its volume, ' +
      'restore a backup, or set DATABASE_MUST_HAVE_USERS=false to start from scratch',
  );
}
