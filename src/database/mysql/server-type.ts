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
