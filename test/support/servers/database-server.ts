import { type ConnectionOptions, createConnection, escapeId } from 'mysql2/promise';
import { type ServerProcess } from './process.js';
import { type RunningServer } from './running-server.js';

/** A throw-away database server on 127.0.0.1; user root has all rights and no password. */
export interface DatabaseServer extends RunningServer {
  readonly kind: 'mariadb' | 'mysql';
  readonly port: number;
  /** Path of the Unix socket. */
  readonly socket: string;
  readonly dataDir: string;
  /** `mysql://root@127.0.0.1:PORT`, with `/database` when one is given. */
  url(database?: string): string;
  /** Creates an empty utf8mb4_bin database, replacing one with the same name, and returns its URL. */
  createDatabase(name: string): Promise<string>;
}

/** Builds a `DatabaseServer` from its process and properties. */
export function databaseServerOf(
  process: ServerProcess,
  facts: Pick<DatabaseServer, 'kind' | 'port' | 'socket' | 'dataDir'>,
): DatabaseServer {
  return Object.assign(process, facts, {
    url: (database?: string) => databaseUrl(facts.port, database),
    createDatabase: (name: string) => createDatabase(facts, name),
  });
}

async function createDatabase(
  { port, socket }: Pick<DatabaseServer, 'port' | 'socket'>,
  name: string,
): Promise<string> {
  const database = escapeId(name, true);
  await runSql(
    asRoot(socket),
    `DROP DATABASE IF EXISTS ${database}`,
    `CREATE DATABASE ${database} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  );
  return databaseUrl(port, name);
}

/** The URL of a local server, and of a database in it when one is given. */
export function databaseUrl(port: number, database?: string): string {
  return `mysql://root@127.0.0.1:${port}${database === undefined ? '' : `/${encodeURIComponent(database)}`}`;
}

/** The connection of root through the socket, for which a server never requires TLS. */
export const asRoot = (socket: string): ConnectionOptions => ({ socketPath: socket, user: 'root' });

/** Runs statements on a new connection and returns the rows of the last one. */
export async function runSql(
  server: string | ConnectionOptions,
  ...statements: string[]
): Promise<Record<string, unknown>[]> {
  const options = typeof server === 'string' ? { uri: server } : server;
  const connection = await createConnection({ ...options, connectTimeout: 2000 });
  // Without a listener, a connection that breaks between two statements would end the process.
  connection.on('error', () => undefined);
  try {
    let rows: unknown = [];
    for (const statement of statements) [rows] = await connection.query(statement);
    return rows as Record<string, unknown>[];
  } finally {
    connection.destroy();
  }
}
