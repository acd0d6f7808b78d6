import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite, tableOptions } from './table-options.js';

/** One row for each task that only one process may run at a time: who runs it, and until when nobody else may. */
export class CreateLeases1760000000002 implements MigrationInterface {
  name = 'CreateLeases1760000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      isSqlite(runner)
        ? `CREATE TABLE IF NOT EXISTS leases (
             task TEXT NOT NULL PRIMARY KEY, holder TEXT NOT NULL, expires_on INTEGER NOT NULL
           ) WITHOUT ROWID`
        : `CREATE TABLE IF NOT EXISTS leases (
             task VARCHAR(64) NOT NULL PRIMARY KEY, holder CHAR(36) NOT NULL, expires_on BIGINT NOT NULL
           ) ${await tableOptions(runner)}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE leases');
  }
}
