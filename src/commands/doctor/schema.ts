import type { Driver, EntityMetadata, Table, TableColumn } from 'typeorm';
import type { Database } from '../../database/database.js';
import { managerOn } from '../../database/session.js';
import type { Problem } from './examine.js';

const FROM_BACKUP = 'restore a backup';
const INTO_NEW = 'export all users ("user export --all") and import them into a new database';

/** How the schema, as TypeORM reads it, differs from the entities, which match the migrations. */
export const examineSchema = (database: Database): Promise<Problem[]> =>
  database.onSession(async (session) => {
    const { driver, entityMetadatas } = session.dataSource;
    const names = entityMetadatas.map(({ tableName }) => tableName);
    const tables = await managerOn(session).queryRunner!.getTables(names);
    return entityMetadatas.flatMap((entity) => {
      const table = tables.find(({ name }) => name === entity.tableName);
      if (!table) return [{ text: `the table ${entity.tableName} is missing`, isBlocking: true, advice: FROM_BACKUP }];
      return [...problemsOfColumns(entity, table, driver), ...problemsOfKeys(entity, table)];
    });
  });

type Column = EntityMetadata['columns'][number];

function problemsOfColumns({ tableName, columns }: EntityMetadata, table: Table, driver: Driver): Problem[] {
  const typeOf = (column: Column | TableColumn) => {
    const length = driver.getColumnLength(column as Column);
    return length ? `${String(column.type)}(${length})` : String(column.type);
  };
  const problems: Problem[] = [];
  for (const column of columns) {
    const found = table.findColumnByName(column.databaseName);
    const name = `the column ${tableName}.${column.databaseName}`;
    if (!found) problems.push({ text: `${name} is missing`, isBlocking: true, advice: FROM_BACKUP });
    else if (typeOf(found) !== typeOf(column))
      problems.push({ text: `${name} is ${typeOf(found)} but must be ${typeOf(column)}`, advice: INTO_NEW });
  }
  return problems;
}

function problemsOfKeys({ tableName, primaryColumns, indices }: EntityMetadata, table: Table): Problem[] {
  const problems: Problem[] = [];
  const primary = primaryColumns.map(({ databaseName }) => databaseName);
  const present = table.primaryColumns.map(({ name }) => name);
  if (!isSame(present, primary))
    problems.push({ text: `the primary key of ${tableName} is not (${primary.join(', ')})`, advice: INTO_NEW });
  for (const { name, columns, isUnique } of indices) {
    const wanted = columns.map(({ databaseName }) => databaseName);
    const found = table.indices.find((index) => index.name === name);
    if (found?.isUnique === isUnique && isSame(found.columnNames, wanted)) continue;
    const kind = isUnique ? 'unique index' : 'index';
    const statement = `CREATE ${kind.toUpperCase()} ${name} ON ${tableName} (${wanted.join(', ')})`;
    problems.push({
      text: `the ${kind} ${name} of ${tableName} ${found ? 'differs from what it should be' : 'is missing'}`,
      advice: `${found ? 'drop it, then' : 'run'}: ${statement}`,
    });
  }
  return problems;
}

/** Whether two keys have the same columns, which TypeORM reads in no certain order. */
const isSame = (found: readonly string[], wanted: readonly string[]): boolean =>
  found.toSorted().join() === wanted.toSorted().join();
