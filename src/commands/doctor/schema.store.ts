import type { Dialect, Session } from '../../database/session.js';

/** A key as the database reports it; the primary key is named `PRIMARY`. */
export interface Key {
  columns: string[];
  isUnique: boolean;
}

const OF_TABLE = 'WHERE table_schema = DATABASE() AND table_name = ?';
const SERVER_COLUMNS = `SELECT column_name AS name, CASE WHEN data_type IN ('char', 'varchar', 'binary', 'varbinary')
    THEN CONCAT(data_type, '(', character_maximum_length, ')') ELSE data_type END AS type
  FROM information_schema.columns ${OF_TABLE}`;
const SERVER_KEYS = `SELECT index_name AS name, column_name AS columnName, 1 - non_unique AS isUnique
  FROM information_schema.statistics ${OF_TABLE} ORDER BY index_name, seq_in_index`;
const FILE_COLUMNS = 'SELECT name, LOWER(type) AS type FROM pragma_table_info(?)';
const FILE_KEYS = `WITH t (tab) AS (SELECT ?)
  SELECT 'PRIMARY' AS name, c.name AS columnName, 1 AS isUnique, c.pk AS position FROM t, pragma_table_info(t.tab) c
    WHERE c.pk > 0
  UNION ALL SELECT l.name, i.name, l."unique", i.seqno FROM t, pragma_index_list(t.tab) l, pragma_index_info(l.name) i
    WHERE l.origin <> 'pk'
  ORDER BY 1, 4`;

/** The columns of a table with their types; empty if there is no such table. */
export async function columnsOf(session: Session, { isLocal }: Dialect, table: string): Promise<Map<string, string>> {
  const rows = await session.rows(isLocal ? FILE_COLUMNS : SERVER_COLUMNS, [table]);
  return new Map(rows.map(({ name, type }) => [String(name), String(type)]));
}

/** The keys of a table by name. */
export async function keysOf(session: Session, { isLocal }: Dialect, table: string): Promise<Map<string, Key>> {
  const keys = new Map<string, Key>();
  for (const { name, columnName, isUnique } of await session.rows(isLocal ? FILE_KEYS : SERVER_KEYS, [table])) {
    const key = keys.get(String(name)) ?? { columns: [], isUnique: Number(isUnique) === 1 };
    keys.set(String(name), { ...key, columns: [...key.columns, String(columnName)] });
  }
  return keys;
}
