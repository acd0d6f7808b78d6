import { escapeId } from 'mysql2';
import mysql from 'mysql2/promise';
import { connectionOptions } from './connection-options.js';

/** The type of the server of a `DATABASE_URL`, which TypeORM's schema builder has to know. */
export async function serverType(url: string): Promise<'mariadb' | 'mysql'> {
  const connection = await mysql.createConnection(connectionOptions(url));
  try {
    const [rows] = await connection.query('SELECT VERSION() AS version');
    const [row] = rows as { version: string }[];
    return row!.version.includes('MariaDB') ? 'mariadb' : 'mysql';
  } finally {
    connection.destroy();
  }
}

/** Creates the database of a `DATABASE_URL`. Rejects if its user may not. */
export async function createServerDatabase(url: string): Promise<void> {
  const { database, ...server } = connectionOptions(url);
  const connection = await mysql.createConnection(server);
  try {
    await connection.query(
      `CREATE DATABASE IF NOT EXISTS ${escapeId(database, true)} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
    );
  } finally {
    connection.destroy();
  }
}
