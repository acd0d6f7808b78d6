import { type DataSource, type Migration, MigrationExecutor } from 'typeorm';
import { SettingError, type Settings } from '../config/settings.js';
import { createDataSource, dataSourceOptions, isFile, openDataSource, sqliteHandle } from './data-source.js';
import { Database } from './database.js';
import { Account } from './entities/account.entity.js';
import { withMigrationLock } from './migration-lock.js';
import { MysqlSessions } from './mysql/sessions.js';
import { beginImmediate } from './sqlite/writer.js';
import { UNKNOWN_DATABASE, requireDatabaseFile, whyNotOpen } from './why-not-open.js';

/** The open database of a process without Nest, which has to close it. Rejects and resolves like `onModuleInit`. */
export async function openDatabase(settings: Settings): Promise<Database> {
  const dataSource = createDataSource(await dataSourceOptions(settings));
  const database = new Database(dataSource, (onMoved) => openSessions(settings, dataSource, onMoved));
  await database.onModuleInit();
  return database;
}

/** Opens the data source, migrated if that is wanted. Rejects with `SettingError` when only the operator can help. */
export async function openSessions(settings: Settings, dataSource: DataSource, onMoved: (error: Error) => void) {
  try {
    if (!isFile(dataSource) && settings.migrateOnStart) await migrateServer(settings, !settings.databaseMustHaveUsers);
    await openDataSource(dataSource, async () => {
      if (settings.databaseMustHaveUsers) await requireUsers(dataSource);
      if (isFile(dataSource)) return void (await migrateFile(dataSource));
      const { examineServer } = await import('./mysql/driver.js');
      await examineServer(dataSource);
      const pending = await pendingMigrations(dataSource);
      if (pending.length > 0)
        throw new SettingError(
          `DATABASE_URL: migrations are pending (${pending.length}); run "npm run migrate" or set MIGRATE_ON_START=true`,
        );
    });
    const handle = sqliteHandle(dataSource);
    if (!handle) return new MysqlSessions(dataSource);
    const { SqliteSessions } = await import('./sqlite/sessions.js');
    return new SqliteSessions(dataSource, handle, onMoved);
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw whyNotOpen(settings.databaseUrl, error);
  }
}

/** Runs the pending migrations of `DATABASE_URL`, or only checks; returns those run or pending. */
export async function migrateDatabase(settings: Settings, checkOnly: boolean): Promise<Migration[]> {
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

const pendingMigrations = (dataSource: DataSource): Promise<Migration[]> =>
  new MigrationExecutor(dataSource).getPendingMigrations();

/**
 * Runs the pending migrations of a server, however long they take, and returns them. Of several processes all but one
 * wait and find nothing left to do. Creates a database, or accepts one without users, only if it `mayBeEmpty`.
 */
async function migrateServer(settings: Settings, mayBeEmpty: boolean): Promise<Migration[]> {
  return withDataSource({ ...settings, databasePoolSize: 2 }, async (dataSource) => {
    const { createServerDatabase, examineServer } = await import('./mysql/driver.js');
    await openDataSource(dataSource).catch(async (error: NodeJS.ErrnoException) => {
      if (!mayBeEmpty || !UNKNOWN_DATABASE.includes(error.errno ?? 0)) throw error;
      await createServerDatabase(settings.databaseUrl).catch(() => Promise.reject(error));
      await openDataSource(dataSource);
    });
    await examineServer(dataSource);
    if (!mayBeEmpty) await requireUsers(dataSource);
    if ((await pendingMigrations(dataSource)).length === 0) return [];
    // They run on one connection, while the other one renews the lock.
    return withMigrationLock(dataSource, () => dataSource.runMigrations({ transaction: 'none' }));
  });
}

/**
 * The same for a SQLite file, in one transaction, for which it waits up to 25 seconds. Rejects if the file cannot be
 * written, even if there is nothing left to do.
 */
export async function migrateFile(dataSource: DataSource): Promise<Migration[]> {
  const handle = sqliteHandle(dataSource)!;
  handle.pragma('busy_timeout = 0');
  await beginImmediate((sql) => handle.exec(sql), 25_000);
  try {
    const tables = handle.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    if (tables.length > 0 && !tables.includes('migrations'))
      throw new SettingError(`DATABASE_URL: ${handle.name} is not a database of this service; check the path`);
    const done = await dataSource.runMigrations({ transaction: 'none' });
    handle.exec('DELETE FROM migrations WHERE id < 0; COMMIT');
    return done;
  } catch (error) {
    // SQLite has rolled back already where the disk is full.
    if (handle.inTransaction) handle.exec('ROLLBACK');
    throw error;
  }
}

/** Throws `SettingError` when the database has no users although DATABASE_MUST_HAVE_USERS says it has. */
async function requireUsers(dataSource: DataSource): Promise<void> {
  const runner = dataSource.createQueryRunner();
  try {
    if ((await runner.hasTable('accounts')) && (await runner.manager.exists(Account))) return;
  } finally {
    await runner.release();
  }
  throw new SettingError(
    'DATABASE_URL: the database is empty, and DATABASE_MUST_HAVE_USERS=true; check its URL and its volume, ' +
      'restore a backup, or set DATABASE_MUST_HAVE_USERS=false to start from scratch',
  );
}
