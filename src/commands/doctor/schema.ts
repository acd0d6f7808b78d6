import type { EntityMetadata } from 'typeorm';
import type { Database } from '../../database/database.js';
import type { Problem } from './problem.js';
import { columnsOf, type Key, keysOf } from './schema.store.js';

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
