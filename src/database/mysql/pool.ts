import mysql, { type Pool, type PoolConnection, type PoolOptions } from 'mysql2';

/**
 * What every session relies on: strict mode, short lock waits, sort keys as long as the longest field (the default
 * compares only the first 1,024 bytes) and a sort buffer for several of them.
 */
const SESSION = `SET SESSION sql_mode = 'STRICT_ALL_TABLES', innodb_lock_wait_timeout = 3,
  max_sort_length = 8192, sort_buffer_size = 4194304`;
/** On a Galera cluster a read waits for what other nodes have acknowledged. Only MariaDB executes this comment. */
const CAUSAL_READS = '/*M! SET SESSION wsrep_sync_wait = 1 */';

/** The mysql2 driver for TypeORM, with the settings above on every new connection. */
export const mysqlDriver = (onConnection: (connection: PoolConnection) => void) => ({
  ...mysql,
  createPool: (options: PoolOptions): Pool => {
    const pool = mysql.createPool(options);
    pool.on('connection', (connection) => {
      connection.query(SESSION, (error) => error && connection.destroy());
      connection.query(CAUSAL_READS, () => undefined);
      connection.on('error', () => undefined);
      // TypeORM calls this for every statement, and mysql2 would create a new object each time.
      const promised = connection.promise();
      connection.promise = () => promised;
      onConnection(connection);
    });
    return pool;
  },
});

/** The type of the server at a URL; `mysql` when it does not respond in time. */
export async function serverType(url: string, timeoutMs: number): Promise<'mariadb' | 'mysql'> {
  const connection = mysql.createConnection({ uri: url, connectTimeout: timeoutMs });
  const version = await new Promise<string>((resolve) => {
    connection.on('error', () => resolve(''));
    setTimeout(resolve, timeoutMs, '').unref();
    connection.query('SELECT VERSION() AS version', (_error, rows) =>
      resolve(String((rows as { version: string }[] | undefined)?.[0]?.version)),
    );
  });
  connection.destroy();
  return version.includes('MariaDB') ? 'mariadb' : 'mysql';
}
