import type { Database as SqliteHandle } from 'better-sqlite3';
import type { PoolConnection } from 'mysql2';
import { DataSource, type DataSourceOptions } from 'typeorm';
import type { Settings } from '../config/settings.js';
import type { DatabaseType } from './entities/columns.js';
import { entitiesFor } from './entities/index.js';
import { MIGRATIONS } from './migrations/index.js';

const CONNECT_TIMEOUT_MS = 2_000;
const SQLITE_BUSY_TIMEOUT_MS = 200;
/**
 * Pages of the write-ahead log before a checkpoint, during which everybody waits: 4 ms instead of 12 ms with SQLite's
 * default of 1,000.
 */
const SQLITE_CHECKPOINT_PAGES = 300;
/** Callers that may wait per connection before further ones are refused immediately. */
const WAITING_PER_CONNECTION = 50;

/** Handles that the drivers expose when the data source opens. */
export class DriverHandles {
  /** The open SQLite file. */
  sqlite?: SqliteHandle;
  /** Collects the connections to a server that open from now on. */
  connections?: Set<PoolConnection>;
}

/**
 * TypeORM's options for `DATABASE_URL`: `sqlite:PATH`, `sqlite::memory:` or `mysql://user:password@host:port/name`.
 * Detects whether a server is MySQL or MariaDB, for at most two seconds; only TypeORM's schema builder needs it, and
 * `mysql` is the fallback.
 */
export async function dataSourceOptions(settings: Settings, handles = new DriverHandles()): Promise<DataSourceOptions> {
  return settings.databaseUrl.startsWith('sqlite:')
    ? { ...common('better-sqlite3'), ...sqliteOptions(settings, handles) }
    : await serverOptions(settings, handles);
}

/** Creates a data source without opening it. */
export const createDataSource = async (settings: Settings, handles?: DriverHandles): Promise<DataSource> =>
  new DataSource(await dataSourceOptions(settings, handles));

const common = (type: DatabaseType) =>
  ({
    entities: entitiesFor(type),
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
  }) as const;

const sqliteOptions = ({ databaseUrl }: Settings, handles: DriverHandles) =>
  ({
    type: 'better-sqlite3',
    database: databaseUrl.slice('sqlite:'.length),
    enableWAL: true,
    timeout: SQLITE_BUSY_TIMEOUT_MS,
    prepareDatabase: (handle: SqliteHandle) => {
      handle.pragma('synchronous = FULL');
      handle.pragma(`wal_autocheckpoint = ${SQLITE_CHECKPOINT_PAGES}`);
      handles.sqlite = handle;
    },
  }) as const;

async function serverOptions({ databaseUrl, databasePoolSize }: Settings, handles: DriverHandles) {
  const { mysqlDriver, serverType } = await import('./mysql/pool.js');
  const type = await serverType(databaseUrl, CONNECT_TIMEOUT_MS);
  return {
    ...common(type),
    type,
    url: databaseUrl,
    driver: mysqlDriver((connection) => handles.connections?.add(connection)),
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    poolSize: databasePoolSize,
    extra: {
      queueLimit: WAITING_PER_CONNECTION * databasePoolSize,
      maxIdle: databasePoolSize,
      enableKeepAlive: true,
      // Capturing a stack trace costs more than a short statement.
      trace: false,
    },
  };
}
