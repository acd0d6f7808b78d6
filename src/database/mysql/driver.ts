import type { Socket } from 'node:net';
import mysql, { type Connection, type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import { SettingError } from '../../config/settings.js';
import type { ServerOptions } from './connection-options.js';
import { mysqlDialect } from './dialect.js';
import { SESSION } from './session-settings.js';

const STATEMENT_TIMEOUT_MS = 2_000;
const UNKNOWN_VARIABLE = 1193;

/** mysql2 for one data source of TypeORM, whose pool only hands out connections with the session settings in force. */
export class MysqlDriver {
  private readonly sockets = new Set<Socket>();

  /** Called by TypeORM. */
  createPool(options: Omit<PoolOptions, 'stream'> & Pick<ServerOptions, 'stream'>): Pool {
    const pool = mysql.createPool({ ...options, stream: () => this.watched(options.stream()) });
    const prepared = new WeakSet<PoolConnection>();
    const getConnection = pool.getConnection.bind(pool);
    pool.getConnection = (callback) => {
      getConnection((error, connection) => {
        if (error || prepared.has(connection)) return void callback(error, connection);
        prepare(connection).then(
          () => {
            prepared.add(connection);
            callback(null, connection);
          },
          (reason: NodeJS.ErrnoException) => {
            connection.destroy();
            callback(reason, connection);
          },
        );
      });
    };
    pool.on('connection', (connection) => {
      connection.on('error', () => undefined);
      // TypeORM calls this for every statement, and mysql2 would create a new object each time.
      const promised = connection.promise();
      connection.promise = () => promised;
    });
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

/** Rejects with `SettingError` if the server does not know a setting or does not let the user change it. */
async function prepare(connection: Connection): Promise<void> {
  for (const { sql, isOptional } of SESSION)
    await new Promise<void>((resolve, reject) => {
      connection.query({ sql, timeout: STATEMENT_TIMEOUT_MS }, (error) => {
        if (!error || (isOptional && error.errno === UNKNOWN_VARIABLE)) resolve();
        else reject(mysqlDialect.classify(error) === 'bug' ? refusedSetting(sql, error) : error);
      });
    });
}

const refusedSetting = (sql: string, { message }: Error): SettingError =>
  new SettingError(
    `DATABASE_URL: the server refuses what the service sets for its own sessions (${message}); ` +
      `use MySQL 8.4 or MariaDB 10.6 or later, and let the user run "${sql}"`,
  );
