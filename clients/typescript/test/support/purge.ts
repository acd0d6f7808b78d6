import Database from 'better-sqlite3';
import mysql from 'mysql2/promise';

const RAISE = `UPDATE accounts SET purged_until =
    (SELECT MAX(last_modified) FROM articles WHERE articles.account = accounts.account AND deleted = 1)
  WHERE EXISTS (SELECT 1 FROM articles WHERE articles.account = accounts.account AND deleted = 1)`;
const DELETE = 'DELETE FROM articles WHERE deleted = 1';

/** Purges all tombstones of today, as the service's purge leaves the database; the real one waits a day at least. */
export async function purgeTombstones(databaseUrl: string): Promise<void> {
  if (databaseUrl.startsWith('sqlite:')) {
    const database = new Database(databaseUrl.slice('sqlite:'.length), { timeout: 10_000 });
    database.transaction(() => [RAISE, DELETE].forEach((statement) => database.prepare(statement).run())).immediate();
    database.close();
    return;
  }
  const connection = await mysql.createConnection(databaseUrl);
  await connection.beginTransaction();
  await connection.query(RAISE);
  await connection.query(DELETE);
  await connection.commit();
  await connection.end();
}
