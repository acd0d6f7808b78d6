import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, escapeId } from 'mysql2';
import mysql from 'mysql2/promise';
import type { DataSource } from 'typeorm';
import { readServerUrl, readTlsFiles, type ServerUrl, type TlsChoice } from '../../config/database-url.js';
import { SettingError } from '../../config/settings.js';

const KEEP_ALIVE_MS = 10_000;

/**
 * What a statement may need: a record takes up to 100 kB. The filters of a listing are in its statement twice, with up to
 * two bytes a character: four times a request's 64 KiB of headers.
 */
const LARGEST_STATEMENT = 2 ** 19;

/** How to connect to a server, as mysql2 takes it. */
export type ServerOptions = Omit<ConnectionOptions, 'stream'> & {
  /** Called for the socket of each new connection. */
  stream: () => Socket;
};

/** How to connect to the server of a `DATABASE_URL`. */
export function connectionOptions(url: string): ServerOptions {
  const server = readServerUrl(url);
  const { host, port, user, password, database, socket, tls } = server;
  const common = { host, port, user, password, database, socketPath: socket };
  if (!tls) return { ...common, stream: () => socketTo(server) };
  const ssl = tlsOptions(tls);
  return { ...common, ssl, stream: () => (renew(ssl, tls), socketTo(server)) };
}

const tlsOptions = (tls: TlsChoice) => ({
  ...readTlsFiles(tls),
  rejectUnauthorized: tls.verifiesAuthority,
  verifyIdentity: tls.verifiesHost,
  minVersion: 'TLSv1.2',
});

/** Reads the certificates again, as they may be new. mysql2 looks at its TLS options after asking for the socket. */
function renew(ssl: ReturnType<typeof tlsOptions>, tls: TlsChoice): void {
  try {
    Object.assign(ssl, readTlsFiles(tls));
  } catch {
    // Somebody is replacing them: the ones it has stay.
  }
}

function socketTo({ host, port, socket: path }: ServerUrl): Socket {
  if (path !== undefined) return connect(path);
  const socket = connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS });
  // For an IP address, mysql2 passes no host to Node's TLS, which would compare the certificate with "localhost". Node
  // looks at this property first, which it sets itself for host names.
  return Object.assign(socket, { _host: host });
}

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
  const connection = await mysql.createConnection(options);
  try {
    const [rows] = await connection.query(sql);
    return rows;
  } finally {
    connection.destroy();
  }
}

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
