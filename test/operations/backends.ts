import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestDatabase } from '../support/database.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';

/** A new SQLite file, which goes away with `drop`. */
export function sqliteFile(): TestDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-'));
  const drop = () => Promise.resolve(rmSync(folder, { recursive: true, force: true }));
  return { url: `sqlite:${join(folder, 'operations.sqlite')}`, drop };
}

/** An empty database on a MariaDB of its own. */
export async function mariaDb(): Promise<TestDatabase> {
  const server = await startMariaDb();
  return { url: await server.createDatabase('reading_list'), drop: () => server.remove() };
}

/** An empty database on a MySQL of its own. */
export async function mySql(): Promise<TestDatabase> {
  const server = await startMysql();
  return { url: await server.createDatabase('reading_list'), drop: () => server.remove() };
}

/** The databases that operators' tools are tried on, by name. */
export const BACKENDS: Readonly<Record<string, () => TestDatabase | Promise<TestDatabase>>> = {
  SQLite: sqliteFile,
  MariaDB: mariaDb,
};
