import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite } from './create-table.js';

/** Marks of the last transactions, for when COMMIT gets no reply. Nullable for an older version that still runs. */
export class AddRecentWrites1760000000011 implements MigrationInterface {
  name = 'AddRecentWrites1760000000011';

  async up(runner: QueryRunner): Promise<void> {
    // Where a statement on tables cannot be rolled back, the migration may be repeated.
    if (await runner.hasColumn('accounts', 'recent_writes')) return;
    await runner.query(
      `ALTER TABLE accounts ADD COLUMN recent_writes ${isSqlite(runner) ? 'TEXT' : 'VARCHAR(192) NULL'}`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts DROP COLUMN recent_writes');
  }
}
