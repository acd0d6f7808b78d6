import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mysql from 'mysql2/promise';
import { inject } from 'vitest';

/** An empty database of the kind that the running vitest project tests. */
export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
}

/** A new SQLite file, or a new database on the server of this run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const kind = process.env.TEST_DATABASE ?? 'sqlite';
  return kind === 'sqlite' ? createSqlite() : createOnServer(inject('databaseServerUrl'));
}

function createSqlite(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-'));
  return {
    url: `sqlite:${join(folder, 'test.sqlite')}`,
    drop: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  };
}

/** @param server `mysql://user@host:port` */
export async function createOnServer(server: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const connection = await mysql.createConnection(server);
  await connection.query(`CREATE DATABASE ${name}`);
  await connection.end();
  return {
    url: `${server}/${name}`,
    drop: async () => {
      const cleaner = await mysql.createConnection(server);
      await cleaner.query(`DROP DATABASE ${name}`);
      await cleaner.end();
    },
  };
}
