import type { Database as SqliteHandle } from 'better-sqlite3';
import { DataSource, type DataSourceOptions, type EntitySchema } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { accountEntity, deprovisionedEntity } from './entities/account.entity.js';
import { articleEntity } from './entities/article.entity.js';
import { columnTypes } from './entities/columns.js';
import { tokenEntity } from './entities/token.entity.js';
import { MIGRATIONS } from './migrations/index.js';
import type { MysqlDriver } from './mysql/driver.js';

/** TypeORM's options for `DATABASE_URL`. Only its schema builder needs to know whether a server is MySQL or MariaDB. */
export async function dataSourceOptions(settings: Settings, forSchema = false): Promise<DataSourceOptions> {
  const { databaseUrl, databasePoolSize } = settings;
  if (databaseUrl.startsWith('sqlite:'))
    return {
      ...common('better-sqlite3'),
      type: 'better-sqlite3',
      database: databaseUrl.slice('sqlite:'.length),
      enableWAL: true,
      timeout: 200,
      prepareDatabase: (handle: SqliteHandle) => {
        handle.pragma('synchronous = FULL');
        // What was erased is not left in free pages, nor in a backup of them.
        handle.pragma('secure_delete = ON');
        // Everybody waits during a checkpoint of so many pages: 4 ms, not 12 ms as with SQLite's 1,000.
        handle.pragma('wal_autocheckpoint = 300');
      },
    };
  const { MysqlDriver, connectionOptions, serverType } = await import('./mysql/driver.js');
  const type = forSchema ? await serverType(databaseUrl) : 'mysql';
  const { user, stream, ...server } = connectionOptions(databaseUrl);
  return {
    ...common(type),
    ...server,
    type,
    username: user,
    driver: new MysqlDriver(),
    charset: 'utf8mb4',
    timezone: 'Z',
    bigNumberStrings: false,
    connectTimeout: 2_000,
    poolSize: databasePoolSize,
    extra: {
      stream,
      // Further callers are refused immediately.
      queueLimit: 50 * databasePoolSize,
      // Capturing a stack trace costs more than a short statement.
      trace: false,
    },
  };
}

const ENTITIES = [accountEntity, articleEntity, deprovisionedEntity, tokenEntity];

const common = (type: DataSourceOptions['type']) =>
  ({
    entities: ENTITIES.map((entity) => entity(columnTypes(type)) as EntitySchema),
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
  }) as const;

/** A data source that is not open yet. */
export function createDataSource(options: DataSourceOptions): DataSource {
  const dataSource = new DataSource(options);
  // All tables are in one database. TypeORM would prefix `migrations` with its name, and misread a name with a dot.
  dataSource.driver.buildTableName = (table) => table;
  return dataSource;
}

/** A data source for TypeORM's schema builder, not open yet: MySQL and MariaDB report their schemas differently. */
export const dataSourceForSchema = async (settings: Settings): Promise<DataSource> =>
  createDataSource(await dataSourceOptions(settings, true));

/** Opens a data source and checks it. Rejects after eight seconds on a server that hangs. */
export async function openDataSource(dataSource: DataSource, check?: () => Promise<void>): Promise<void> {
  const limit = setTimeout(() => cutConnections(dataSource), 8_000);
  try {
    await dataSource.initialize();
    await check?.();
  } finally {
    clearTimeout(limit);
  }
}

export const isFile = ({ options }: DataSource): boolean => options.type === 'better-sqlite3';

/** The SQLite connection of an open data source; undefined for a server. */
export const sqliteHandle = ({ driver }: DataSource): SqliteHandle | undefined =>
  (driver as { databaseConnection?: SqliteHandle }).databaseConnection;

/** Cuts the connections to a server, so that what waits for it fails. */
export const cutConnections = ({ options }: DataSource): void =>
  (options as { driver?: MysqlDriver }).driver?.cutConnections();
