import type { MigrationInterface, QueryRunner } from 'typeorm';

export const isSqlite = (runner: QueryRunner): boolean => runner.dataSource.options.type === 'better-sqlite3';

/** Creates a table unless it exists, with columns, keys and options as each kind of database takes them. */
export abstract class CreateTable implements MigrationInterface {
  abstract readonly table: string;
  abstract readonly sqlite: string;
  abstract readonly mysql: string;
  /** SQLite takes indexes in statements of their own. */
  readonly sqliteIndexes: readonly string[] = [];

  async up(runner: QueryRunner): Promise<void> {
    const content = isSqlite(runner) ? this.sqlite : `${this.mysql} ${await tableOptions(runner)}`;
    await runner.query(`CREATE TABLE IF NOT EXISTS ${this.table} ${content}`);
    if (isSqlite(runner)) for (const statement of this.sqliteIndexes) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${this.table}`);
  }
}

/** Adds a column unless it exists, nullable for an older version that still runs and does not know it. */
export abstract class AddColumn implements MigrationInterface {
  abstract readonly table: string;
  abstract readonly column: string;
  abstract readonly sqlite: string;
  abstract readonly mysql: string;

  async up(runner: QueryRunner): Promise<void> {
    // Where a statement on tables cannot be rolled back, the migration may be repeated.
    if (await runner.hasColumn(this.table, this.column)) return;
    const type = isSqlite(runner) ? this.sqlite : this.mysql;
    await runner.query(`ALTER TABLE ${this.table} ADD COLUMN ${this.column} ${type}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ${this.table} DROP COLUMN ${this.column}`);
  }
}

/** Texts compare by code point and without padding, for which MySQL and MariaDB have different collations. */
async function tableOptions(runner: QueryRunner): Promise<string> {
  const [row] = (await runner.query('SELECT VERSION() AS version')) as { version: string }[];
  const collation = row!.version.includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return `ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=${collation}`;
}
