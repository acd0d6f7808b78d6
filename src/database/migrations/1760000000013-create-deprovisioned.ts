import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite, tableOptions } from './table-options.js';

/** One row for each user whose tokens are refused, and when the list is to be erased. */
export class CreateDeprovisioned1760000000013 implements MigrationInterface {
  name = 'CreateDeprovisioned1760000000013';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      isSqlite(runner)
        ? `CREATE TABLE IF NOT EXISTS deprovisioned (
             account BLOB NOT NULL PRIMARY KEY CHECK (length(account) = 16),
             since INTEGER NOT NULL,
             erase_on INTEGER
           ) WITHOUT ROWID`
        : `CREATE TABLE IF NOT EXISTS deprovisioned (
             account BINARY(16) NOT NULL PRIMARY KEY,
             since BIGINT NOT NULL,
             erase_on BIGINT NULL
           ) ${await tableOptions(runner)}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deprovisioned');
  }
}
