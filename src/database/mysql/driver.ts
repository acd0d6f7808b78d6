import { connect, type Socket } from 'node:net';
import mysql, { type Connection, type ConnectionOptions, escapeId, type Pool, type PoolOptions } from 'mysql2';
import mysqlPromise from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { readServerUrl, readTlsFiles, type ServerUrl, type TlsChoice } from '../../config/database-url.js';
import { SettingError } from '../../config/settings.js';
import { type DriverError, mysqlDialect } from './dialect.js';

const UNKNOWN_VARIABLE = 1193;

type ServerOptions = Omit<ConnectionOptions, 'stream'> & { stream: () => Socket };

/** How to connect to the server of a `DATABASE_URL`, as mysql2 takes it. `stream` makes the socket of each new connection. */
export function connectionOptions(url: string): ServerOptions {
  const server = readServerUrl(url);
  const { host, port, user, password, database, socket, tls } = server;
  const common = { host, port, user, password, database, socketPath: socket };
  if (!tls) return { ...common, stream: () => socketTo(server) };
  const ssl = {
    ...readTlsFiles(tls),
    rejectUnauthorized: tls.verifiesAuthority,
    verifyIdentity: tls.verifiesHost,
    minVersion: 'TLSv1.2',
  };
  return { ...common, ssl, stream: () => (renewFiles(ssl, tls), socketTo(server)) };
}

/** Reads the certificates again, as they may be new. mysql2 looks at its TLS options after asking for the socket. */
function renewFiles(ssl: object, tls: TlsChoice): void {
  try {
    Object.assign(ssl, readTlsFiles(tls));
  } catch {
    // Somebody is replacing them: the ones it has stay.
  }
}

function socketTo({ host, port, socket: path }: ServerUrl): Socket {
  if (path !== undefined) return connect(path);
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 10_000 });
  // For an IP address, mysql2 passes no host to Node's TLS, which would compare the certificate with "localhost". Node
  // looks at this property first, which it sets itself for host names.
  return Object.assign(socket, { _host: host });
}

/** mysql2 for one data source of TypeORM, whose pool only hands out connections with the session settings in force. */
export class MysqlDriver {
  private readonly sockets = new Set<Socket>();

  /** Called by TypeORM. */
  createPool(options: Omit<PoolOptions, 'stream'> & Pick<ServerOptions, 'stream'>): Pool {
    const stream = () => {
      const socket = options.stream();
      this.sockets.add(socket);
      return socket.once('close', () => this.sockets.delete(socket));
    };
    const pool = mysql.createPool({ ...options, stream });
    const getConnection = pool.getConnection.bind(pool);
    pool.getConnection = (callback) => {
      getConnection((error, connection) => {
        if (error || prepared.has(connection)) return void callback(error, connection);
        prepare(connection).then(
          () => void callback(null, connection),
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

  cutConnections(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}

const prepared = new WeakSet<Connection>();

async function prepare(connection: Connection): Promise<void> {
  for (const sql of SESSION)
    try {
      await connection.promise().query({ sql, timeout: 2_000 });
    } catch (error) {
      const { errno, message } = error as DriverError;
      if (sql === ON_GALERA && errno === UNKNOWN_VARIABLE) continue;
      if (mysqlDialect.classify(error) !== 'bug') throw error;
      throw new SettingError(
        `DATABASE_URL: the server refuses a setting that the service makes for its own sessions (${message}); ` +
          `use MySQL 8.4 or MariaDB 10.6 or later, and let the user run "${sql}"`,
      );
    }
  prepared.add(connection);
}

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
  // Migrations take as long as they take.
  `SET SESSION ${VARIABLES.join(', ')} /*M! , max_statement_time = 0 */ /*!80000 , max_execution_time = 0 */`,
  // ADR 12. The variable has different names on MySQL and MariaDB, this statement is the same.
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE',
  ON_GALERA,
];

/** The type of the server of a `DATABASE_URL`, which TypeORM's schema builder has to know. */
export async function serverType(url: string): Promise<'mariadb' | 'mysql'> {
  const [row] = (await queryOnce(connectionOptions(url), 'SELECT VERSION() AS version')) as { version: string }[];
  return row!.version.includes('MariaDB') ? 'mariadb' : 'mysql';
}

/** Creates the database of a `DATABASE_URL`. Rejects if its user may not. */
export async function createServerDatabase(url: string): Promise<void> {
  const { database, ...server } = connectionOptions(url);
  const name = escapeId(database, true);
  await queryOnce(server, `CREATE DATABASE IF NOT EXISTS ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
}

async function queryOnce(options: ServerOptions, sql: string): Promise<unknown> {
  const connection = await mysqlPromise.createConnection(options);
  try {
    await connection.query(SESSION[2]!);
    const [rows] = await connection.query(sql);
    return rows;
  } finally {
    connection.destroy();
  }
}

/** A listing has its filters in its statement twice, at up to two bytes a character: four times 64 KiB of headers. */
const LARGEST_STATEMENT = 2 ** 19;

/** Throws `SettingError` for a setting of the server with which the service cannot write. */
export async function examineServer(dataSource: DataSource): Promise<void> {
  const rows = await dataSource.query<{ Variable_name: string; Value: string }[]>(
    "SHOW VARIABLES WHERE Variable_name IN ('log_bin', 'binlog_format', 'max_allowed_packet')",
  );
  const variables = new Map(rows.map((row) => [row.Variable_name.toLowerCase(), row.Value]));
  if (variables.get('log_bin') === 'ON' && variables.get('binlog_format') === 'STATEMENT')
    throw new SettingError(
      'DATABASE_URL: the server has binlog_format=STATEMENT, which cannot log transactions in READ COMMITTED; ' +
        'set binlog_format=ROW or MIXED there',
    );
  const largest = Number(variables.get('max_allowed_packet') ?? Infinity);
  if (largest < LARGEST_STATEMENT)
    throw new SettingError(
      `DATABASE_URL: the server has max_allowed_packet=${largest}, but a statement of the service may take ` +
        `${LARGEST_STATEMENT} bytes; set it to at least that`,
    );
}
