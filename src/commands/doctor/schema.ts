import type { EntityMetadata } from 'typeorm';
import type { Database } from '../../database/database.js';
import type { Dialect, Session } from '../../database/session.js';
import type { Problem } from './problem.js';

const FROM_BACKUP = 'restore a backup';
const INTO_NEW = 'export all users ("user export --all") and import them into a new database';

/** How the schema differs from the entities, which match the migrations. */
export async function examineSchema(database: Database): Promise<Problem[]> {
  return database.onSession(async (session) => {
    const { dataSource } = session;
    const problems: Problem[] = [];
    for (const table of dataSource.entityMetadatas) {
      const columns = await columnsOf(session, database.dialect, table.tableName);
      if (columns.size === 0) problems.push(missingTable(table));
      else {
        const keys = await keysOf(session, database.dialect, table.tableName);
        problems.push(...problemsOfColumns(table, columns), ...problemsOfKeys(database, table, keys));
      }
    }
    return problems;
  });
}

const missingTable = ({ tableName }: EntityMetadata): Problem => ({
  text: `the table ${tableName} is missing`,
  isBlocking: true,
  advice: FROM_BACKUP,
});

function problemsOfColumns({ tableName, columns }: EntityMetadata, found: Map<string, string>): Problem[] {
  const problems: Problem[] = [];
  for (const { databaseName, type, length } of columns) {
    const actual = found.get(databaseName);
    const expected = length ? `${String(type)}(${length})` : String(type);
    const name = `the column ${tableName}.${databaseName}`;
    if (actual === undefined) problems.push({ text: `${name} is missing`, isBlocking: true, advice: FROM_BACKUP });
    else if (actual !== expected)
      problems.push({ text: `${name} is ${actual}, it has to be ${expected}`, advice: INTO_NEW });
  }
  return problems;
}

function problemsOfKeys(database: Database, table: EntityMetadata, found: Map<string, Key>): Problem[] {
  const problems: Problem[] = [];
  const primary = table.primaryColumns.map(({ databaseName }) => databaseName);
  if (!isSame(found.get('PRIMARY'), primary, true))
    problems.push({ text: `the primary key of ${table.tableName} is not (${primary.join(', ')})`, advice: INTO_NEW });
  for (const { name, columns, isUnique } of table.indices) {
    const wanted = columns.map(({ databaseName }) => databaseName);
    const actual = found.get(name);
    if (isSame(actual, wanted, isUnique)) continue;
    const kind = isUnique ? 'unique index' : 'index';
    const statement = `CREATE ${kind.toUpperCase()} ${name} ON ${table.tableName} (${wanted.join(', ')})`;
    problems.push({
      text: `the ${kind} ${name} of ${table.tableName} ${actual ? 'is another one' : 'is missing'}`,
      advice: actual ? `drop it, then: ${statement}` : undefined,
      repair: actual ? undefined : () => createIndex(database, statement),
    });
  }
  return problems;
}

const isSame = (key: Key | undefined, columns: readonly string[], isUnique: boolean): boolean =>
  key?.isUnique === isUnique && key.columns.join() === columns.join();

/**
 * A session's statement may take three seconds, but an index on a large table takes minutes: on a server it bypasses
 * sessions.
 */
async function createIndex(database: Database, statement: string): Promise<void> {
  const dataSource = await database.onSession(async (session) => {
    if (database.dialect.isLocal) await session.run(statement, []);
    return session.dataSource;
  });
  if (!database.dialect.isLocal) await dataSource.query(statement);
}

/** A key as the database reports it; the primary key is named `PRIMARY`. */
interface Key {
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
async function columnsOf(session: Session, { isLocal }: Dialect, table: string): Promise<Map<string, string>> {
  const rows = await session.rows(isLocal ? FILE_COLUMNS : SERVER_COLUMNS, [table]);
  return new Map(rows.map(({ name, type }) => [String(name), String(type)]));
}

/** The keys of a table by name. */
async function keysOf(session: Session, { isLocal }: Dialect, table: string): Promise<Map<string, Key>> {
  const keys = new Map<string, Key>();
  for (const { name, columnName, isUnique } of await session.rows(isLocal ? FILE_KEYS : SERVER_KEYS, [table])) {
    const key = keys.get(String(name)) ?? { columns: [], isUnique: Number(isUnique) === 1 };
    keys.set(String(name), { ...key, columns: [...key.columns, String(columnName)] });
  }
  return keys;
}
