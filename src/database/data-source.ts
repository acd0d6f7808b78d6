import type { Database as SqliteHandle } from 'better-sqlite3';
import mysql, { type Connection, type Pool, type PoolOptions } from 'mysql2';
import type { DataSourceOptions } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { MIGRATIONS } from './migrations/index.js';

const CONNECT_TIMEOUT_MS = 2_000;
const SQLITE_BUSY_TIMEOUT_MS = 200;
/** Of the write-ahead log, after which they go to the file while everybody waits: 4 ms, and not the 12 of SQLite's 1,000. */
const SQLITE_CHECKPOINT_PAGES = 300;
/** Callers that may wait for a connection before further ones are refused at once. */
const WAITING_PER_CONNECTION = 50;

/**
 * What every session relies on: strict values, short lock waits, sort keys as long as the longest field (the default
 * compares only the first 1,024 bytes) and room to sort by several of them.
 */
const SESSION = `SET SESSION sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = 3,
  max_sort_length = 8192, sort_buffer_size = 4194304`;
/** On a Galera cluster a read waits for what other nodes acknowledged; MariaDB alone understands this comment. */
const CAUSAL_READS = '/*M! SET SESSION wsrep_sync_wait = 1 */';

/** TypeORM's options for `DATABASE_URL`: `sqlite:PATH`, `sqlite::memory:` or `mysql://user:password@host:port/name`. */
export function dataSourceOptions(settings: Settings): DataSourceOptions {
  const common = {
    migrations: MIGRATIONS,
    migrationsTransactionMode: 'each',
    synchronize: false,
    logging: false,
  } as const;
  if (settings.databaseUrl.startsWith('sqlite:'))
    return {
      ...common,
      type: 'better-sqlite3',
      database: settings.databaseUrl.slice('sqlite:'.length),
      enableWAL: true,
      timeout: SQLITE_BUSY_TIMEOUT_MS,
      prepareDatabase: (handle: SqliteHandle) => {
        handle.pragma('synchronous = FULL');
        handle.pragma(`wal_autocheckpoint = ${SQLITE_CHECKPOINT_PAGES}`);
      },
    };
  return {
    ...common,
    type: 'mysql',
    url: settings.databaseUrl,
    driver: { ...mysql, createPool },
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    connectTimeout: CONNECT_TIMEOUT_MS,
    poolSize: settings.databasePoolSize,
    extra: {
      queueLimit: WAITING_PER_CONNECTION * settings.databasePoolSize,
      maxIdle: settings.databasePoolSize,
      enableKeepAlive: true,
    },
  };
}

function createPool(options: PoolOptions): Pool {
  const pool = mysql.createPool(options);
  pool.on('connection', (connection: Connection) => {
    connection.query(SESSION, (error) => error && connection.destroy());
    connection.query(CAUSAL_READS, () => undefined);
    connection.on('error', () => undefined);
  });
  return pool;
}
