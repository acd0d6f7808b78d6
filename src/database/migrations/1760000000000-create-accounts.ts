import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite, tableOptions } from './table-options.js';

/** One row per user: the clock, the lock for writers, and the number of live articles. */
export class CreateAccounts1760000000000 implements MigrationInterface {
  name = 'CreateAccounts1760000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      isSqlite(runner)
        ? `CREATE TABLE IF NOT EXISTS accounts (
             account BLOB NOT NULL PRIMARY KEY CHECK (length(account) = 16),
             last_modified INTEGER NOT NULL,
             live_count INTEGER NOT NULL,
             purged_until INTEGER NOT NULL DEFAULT 0
           ) WITHOUT ROWID`
        : `CREATE TABLE IF NOT EXISTS accounts (
             account BINARY(16) NOT NULL PRIMARY KEY,
             last_modified BIGINT NOT NULL,
             live_count INT NOT NULL,
             purged_until BIGINT NOT NULL DEFAULT 0
           ) ${await tableOptions(runner)}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE accounts');
  }
}
