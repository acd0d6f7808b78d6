import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite } from './create-table.js';

/** Whether a personal token may only read. Nullable: an older version that still runs does not know the column. */
export class AddReadOnlyTokens1760000000012 implements MigrationInterface {
  name = 'AddReadOnlyTokens1760000000012';

  async up(runner: QueryRunner): Promise<void> {
    // Where a statement on tables cannot be rolled back, the migration may be repeated.
    if (await runner.hasColumn('tokens', 'read_only')) return;
    await runner.query(`ALTER TABLE tokens ADD COLUMN read_only ${isSqlite(runner) ? 'INTEGER' : 'TINYINT NULL'}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE tokens DROP COLUMN read_only');
  }
}
