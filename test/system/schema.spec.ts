import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type EntityMetadata } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { dataSourceForSchema } from '../../src/database/data-source.js';
import { articleEntity } from '../../src/database/entities/article.entity.js';
import { columnTypes } from '../../src/database/entities/columns.js';
import { ARTICLE_FIELDS } from '../../src/protocol/fields.js';
import type { DatabaseServer } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';

/** What TypeORM does not compare: each is a fact of a table as the database tells it. */
interface TableFacts {
  /** The columns of each index in their order; the primary key is `PRIMARY`. */
  keys: Record<string, string[]>;
  /** What follows the columns. */
  options: string;
  /** The collations of its columns, each once. */
  collations: string[];
  /** Columns whose length the table checks. */
  checked: string[];
}

interface Kind {
  options: (entity: EntityMetadata) => string;
  collations: string[];
  checksLengths: boolean;
  /** Lists all tables but the database's own. */
  tables: string;
  facts: (dataSource: DataSource, table: string) => Promise<TableFacts>;
}

const server = (collation: string): Kind => ({
  options: () => 'InnoDB Dynamic',
  collations: [collation],
  checksLengths: false,
  tables: 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE()',
  facts: serverFacts,
});

const kinds: Record<string, Kind> = {
  SQLite: {
    options: ({ withoutRowid }) => (withoutRowid ? 'WITHOUT ROWID' : ''),
    collations: [],
    checksLengths: true,
    tables: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    facts: sqliteFacts,
  },
  MariaDB: server('utf8mb4_nopad_bin'),
  MySQL: server('utf8mb4_0900_bin'),
};

const starts: Record<string, () => Promise<DatabaseServer>> = { MariaDB: startMariaDb, MySQL: startMysql };

async function serverFacts(dataSource: DataSource, table: string): Promise<TableFacts> {
  const ofTable = 'WHERE table_schema = DATABASE() AND table_name = ?';
  const [facts] = await dataSource.query<{ options: string; collation: string }[]>(
    `SELECT CONCAT(engine, ' ', row_format) AS options, table_collation AS collation FROM information_schema.tables ${ofTable}`,
    [table],
  );
  const columns = await dataSource.query<{ collation: string }[]>(
    `SELECT DISTINCT collation_name AS collation FROM information_schema.columns ${ofTable} AND collation_name IS NOT NULL`,
    [table],
  );
  const parts = await dataSource.query<{ name: string; columnName: string }[]>(
    `SELECT index_name AS name, column_name AS columnName FROM information_schema.statistics ${ofTable}
     ORDER BY index_name, seq_in_index`,
    [table],
  );
  return {
    keys: grouped(parts.map(({ name, columnName }) => [name, columnName])),
    options: facts!.options,
    collations: [...new Set([facts!.collation, ...columns.map(({ collation }) => collation)])],
    checked: [],
  };
}

async function sqliteFacts(dataSource: DataSource, table: string): Promise<TableFacts> {
  const [row] = await dataSource.query<{ sql: string }[]>('SELECT sql FROM sqlite_master WHERE name = ?', [table]);
  const { sql } = row!;
  const parts = await dataSource.query<{ name: string; origin: string; columnName: string }[]>(
    `SELECT l.name, l.origin, i.name AS columnName FROM pragma_index_list(?) l, pragma_index_info(l.name) i
     ORDER BY l.name, i.seqno`,
    [table],
  );
  return {
    keys: grouped(parts.map(({ name, origin, columnName }) => [origin === 'pk' ? 'PRIMARY' : name, columnName])),
    options: /\)\s*([^)]*)$/.exec(sql)![1]!.trimEnd(),
    collations: [...sql.matchAll(/COLLATE (\w+)/gi)].map(([, name]) => name!),
    checked: [...sql.matchAll(/CHECK \(length\((\w+)\) = 16\)/g)].map(([, column]) => column!),
  };
}

function grouped(pairs: [string, string][]): Record<string, string[]> {
  const groups: Record<string, string[]> = {};
  for (const [name, value] of pairs) (groups[name] ??= []).push(value);
  return groups;
}

/** The same facts as the entity states them. */
function stated(entity: EntityMetadata, { options, collations, checksLengths }: Kind): TableFacts {
  const keys = entity.indices.map(
    (index) => [index.name, index.columns.map(({ databaseName }) => databaseName)] as const,
  );
  const primary = entity.primaryColumns;
  return {
    keys: { PRIMARY: primary.map(({ databaseName }) => databaseName), ...Object.fromEntries(keys) },
    options: options(entity),
    collations,
    checked: checksLengths ? primary.filter(({ type }) => type === 'blob').map(({ databaseName }) => databaseName) : [],
  };
}

describe.each(Object.keys(kinds))('the schema on %s', (name) => {
  const kind = kinds[name]!;
  let running: DatabaseServer | undefined;
  let dataSource: DataSource;

  beforeAll(async () => {
    running = await starts[name]?.();
    const DATABASE_URL = running
      ? await running.createDatabase('schema_test')
      : `sqlite:${join(mkdtempSync(join(tmpdir(), 'reading-list-')), 'schema.sqlite')}`;
    const settings = readSettings({ NODE_ENV: 'test', DATABASE_URL });
    dataSource = await (await dataSourceForSchema(settings)).initialize();
    await dataSource.runMigrations({ transaction: 'none' });
  });

  afterAll(async () => {
    await dataSource.destroy();
    await running?.remove();
  });

  it('is what the entities describe', async () => {
    const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
  });

  it('is that also where TypeORM does not look', async () => {
    expect(dataSource.entityMetadatas.length).toBeGreaterThan(0);
    for (const entity of dataSource.entityMetadatas)
      expect(await kind.facts(dataSource, entity.tableName), entity.tableName).toEqual(stated(entity, kind));
  });

  it('has no table that no entity describes', async () => {
    const tables = await dataSource.query<{ name: string }[]>(kind.tables);
    const names = tables.map(({ name: table }) => table);
    const described = dataSource.entityMetadatas.map(({ tableName }) => tableName);
    // That of migrations, and that of the lock under which they run.
    expect(names.sort()).toEqual([...described, 'leases', 'migrations'].sort());
  });

  it('has no other tables with data of users', () => {
    const ofUsers = dataSource.entityMetadatas.filter((entity) => entity.findColumnWithDatabaseName('account'));
    // Whoever adds one here has taught the commands that erase, move, export and import users ("A table" in CONTRIBUTING.md).
    expect(ofUsers.map(({ tableName }) => tableName).sort()).toEqual(['accounts', 'articles', 'deprovisioned']);
  });

  it('is compared: a column more in an entity is a difference', async () => {
    const changed = articleEntity(columnTypes(dataSource.options.type), {
      ...ARTICLE_FIELDS,
      one_more: 'text',
    });
    const other = await new DataSource({ ...dataSource.options, entities: [changed] }).initialize();
    const { upQueries } = await other.driver.createSchemaBuilder().log();
    await other.destroy();
    expect(upQueries.map(({ query }) => query).join()).toMatch(/one_more/);
  });
});

it('has the longest text at the end of a row of SQLite, which reads all that lies before a column', async () => {
  const settings = readSettings({ NODE_ENV: 'test', DATABASE_URL: 'sqlite::memory:' });
  const dataSource = await (await dataSourceForSchema(settings)).initialize();
  await dataSource.runMigrations({ transaction: 'none' });
  const columns = await dataSource.query<{ name: string }[]>("SELECT name FROM pragma_table_info('articles')");
  await dataSource.destroy();
  expect(columns.at(-1)!.name).toBe('excerpt');
});
