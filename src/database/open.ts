import type { DataSource } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { createDataSource, dataSourceOptions, isFile, openDataSource, sqliteHandle } from './data-source.js';
import { Database } from './database.js';
import type { Log } from './health.js';
import { migrateFile, migrateServer, requireMigrated, requireUsers } from './migrate.js';
import type { SessionSource } from './session.js';
import { whyNotOpen } from './why-not-open.js';

/** The database of a data source, neither of them open yet. */
export const databaseOf = (settings: Settings, dataSource: DataSource, log?: Log): Database =>
  new Database(dataSource, (onMoved) => openSessions(settings, dataSource, onMoved), log);

/** The open database of a process without Nest, which has to close it. Rejects and resolves like `onModuleInit`. */
export async function openDatabase(settings: Settings): Promise<Database> {
  const database = databaseOf(settings, createDataSource(await dataSourceOptions(settings)));
  await database.onModuleInit();
  return database;
}

/** Opens the data source, migrated if that is wanted. Rejects with `SettingError` when only the operator can help. */
async function openSessions(
  settings: Settings,
  dataSource: DataSource,
  onMoved: (error: Error) => void,
): Promise<SessionSource> {
  try {
    if (!isFile(dataSource) && settings.migrateOnStart) await migrateServer(settings, !settings.databaseMustHaveUsers);
    await openDataSource(dataSource, async () => {
      if (settings.databaseMustHaveUsers) await requireUsers(dataSource);
      if (isFile(dataSource)) return void (await migrateFile(dataSource));
      const { examineServer } = await import('./mysql/server.js');
      await examineServer(dataSource);
      await requireMigrated(dataSource);
    });
    const handle = sqliteHandle(dataSource);
    if (handle) {
      const { SqliteSessions } = await import('./sqlite/sessions.js');
      return new SqliteSessions(dataSource, handle, onMoved);
    }
    const { MysqlSessions } = await import('./mysql/sessions.js');
    return new MysqlSessions(dataSource);
  } catch (error) {
    if (dataSource.isInitialized) await dataSource.destroy();
    throw whyNotOpen(settings.databaseUrl, error);
  }
}
