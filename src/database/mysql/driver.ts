import type { Socket } from 'node:net';
import mysql, { type Connection, type Pool, type PoolOptions } from 'mysql2';
import { SettingError } from '../../config/settings.js';
import { type DriverError, mysqlDialect } from './dialect.js';
import type { ServerOptions } from './server.js';

const STATEMENT_TIMEOUT_MS = 2_000;
const UNKNOWN_VARIABLE = 1193;

/** mysql2 for one data source of TypeORM, whose pool only hands out connections with the session settings in force. */
export class MysqlDriver {
  private readonly sockets = new Set<Socket>();
  private readonly prepared = new WeakSet<Connection>();

  /** Called by TypeORM. */
  createPool(options: Omit<PoolOptions, 'stream'> & Pick<ServerOptions, 'stream'>): Pool {
    const pool = mysql.createPool({ ...options, stream: () => this.watched(options.stream()) });
    const getConnection = pool.getConnection.bind(pool);
    pool.getConnection = (callback) => {
      getConnection((error, connection) => {
        if (error || this.prepared.has(connection)) return void callback(error, connection);
        prepare(connection).then(
          () => {
            this.prepared.add(connection);
            callback(null, connection);
          },
          (reason: NodeJS.ErrnoException) => {
            connection.destroy();
            callback(reason, connection);
          },
        );
      });
    };
    pool.on('connection', (connection) => void connection.on('error', () => undefined));
    return pool;
  }

  private watched(socket: Socket): Socket {
    this.sockets.add(socket);
    return socket.once('close', () => this.sockets.delete(socket));
  }

  /** Cuts all connections, so that what waits for a hung server fails. */
  cutConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

/** Sets up a new connection. Rejects with `SettingError` if the server refuses. */
async function prepare(connection: Connection): Promise<void> {
  for (const sql of SESSION)
    try {
      await connection.promise().query({ sql, timeout: STATEMENT_TIMEOUT_MS });
    } catch (error) {
      if (sql === ON_GALERA && (error as DriverError).errno === UNKNOWN_VARIABLE) continue;
      throw mysqlDialect.classify(error) === 'bug' ? refusedSetting(sql, error as Error) : error;
    }
}

const refusedSetting = (sql: string, { message }: Error): SettingError =>
  new SettingError(
    `DATABASE_URL: the server refuses a setting that the service makes for its own sessions (${message}); ` +
      `use MySQL 8.4 or MariaDB 10.6 or later, and let the user run "${sql}"`,
  );

const VARIABLES = Object.entries({
  // Values that do not fit are errors; nothing else that a mode changes is in force.
  sql_mode: "'STRICT_ALL_TABLES'",
  time_zone: "'+00:00'",
  // Otherwise the first read would begin a transaction, and COMMIT another one.
  autocommit: '1',
  completion_type: '0',
  // Whatever the server allows its other users: no limit on what a statement reads or writes.
  sql_big_selects: '1',
  sql_select_limit: '18446744073709551615',
  sql_safe_updates: '0',
  unique_checks: '1',
  innodb_lock_wait_timeout: '3',
  // Sort keys as long as the longest field (by default only 1,024 bytes count), and room for several of them.
  max_sort_length: '8192',
  sort_buffer_size: '4194304',
}).map(([name, value]) => `${name} = ${value}`);

/** On a Galera cluster a read waits for what other nodes have acknowledged; other servers do not know the variable. */
const ON_GALERA = 'SET SESSION wsrep_sync_wait = 1';

/** What every connection runs first: all that the service relies on (`docs/operations.md`, "The database server"). */
const SESSION = [
  'SET NAMES utf8mb4 COLLATE utf8mb4_bin',
  `SET SESSION ${VARIABLES.join(', ')}`,
  // ADR 12. The variable has different names on MySQL and MariaDB, this statement is the same.
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
  ON_GALERA,
];
