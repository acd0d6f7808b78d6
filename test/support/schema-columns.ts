import Database from 'better-sqlite3';
import { runSql } from './servers/database-server.js';

/** A column as writers of any version see it. */
export interface Column {
  table: string;
  name: string;
  type: string;
  /** Whether an INSERT that does not name it fails. */
  isRequired: boolean;
}

/** All columns of a database. */
export async function columnsOf(url: string): Promise<Column[]> {
  const rows = url.startsWith('sqlite:') ? ofSqlite(url.replace('sqlite:', '')) : await runSql(url, SERVER_COLUMNS);
  return rows.map(({ table, name, type, required }) => ({
    table: String(table),
    name: String(name),
    type: String(type),
    isRequired: Number(required) === 1,
  }));
}

const SERVER_COLUMNS = `SELECT table_name AS "table", column_name AS name, column_type AS type,
    is_nullable = 'NO' AND column_default IS NULL AND extra = '' AS required
  FROM information_schema.columns WHERE table_schema = DATABASE()`.replaceAll('"', '`');

function ofSqlite(path: string): Record<string, unknown>[] {
  const file = new Database(path, { readonly: true });
  try {
    return file
      .prepare<[], Record<string, unknown>>(
        `SELECT t.name AS "table", c.name, c.type, c."notnull" AND c.dflt_value IS NULL AS required
         FROM sqlite_master t, pragma_table_xinfo(t.name) c WHERE t.type = 'table'`,
      )
      .all();
  } finally {
    file.close();
  }
}

/**
 * What keeps the last release from working on a newer schema, one line each: a column that its code uses and that is gone or
 * has another type, and a column, new or not, that its INSERTs would have to name and need not name before.
 */
export function brokenFor(code: string, before: Column[], after: Column[]): string[] {
  const keyOf = ({ table, name }: Column) => `${table}.${name}`;
  const [old, now] = [before, after].map((columns) => new Map(columns.map((column) => [keyOf(column), column])));
  const used = [...old!].filter(([, { name }]) => new RegExp(`\\b${name}\\b`).test(code));
  return [
    ...used.filter(([key]) => !now!.has(key)).map(([key]) => `${key} is gone`),
    ...used
      .filter(([key, { type }]) => now!.has(key) && now!.get(key)!.type !== type)
      .map(([key]) => `${key} has another type`),
    ...[...now!]
      .filter(
        ([key, { table, isRequired }]) =>
          isRequired && !old!.get(key)?.isRequired && before.some((column) => column.table === table),
      )
      .map(([key]) => `${key} is required now`),
  ];
}
