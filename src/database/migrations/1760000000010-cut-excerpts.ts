import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite } from './table-changes.js';

/** The same as `MAX_CODE_POINTS.text`, as of this migration. */
const MAX_CHARACTERS = 16_000;

type Key = { account: Buffer; id: Buffer };

/**
 * Cuts the excerpts that were stored before they had a maximum length. Their records keep their timestamps: devices that
 * already have the rest may keep it. A few rows at a time, so that the previous version can go on writing.
 */
export class CutExcerpts1760000000010 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const length = isSqlite(runner) ? 'LENGTH' : 'CHAR_LENGTH';
    let after: Key = { account: Buffer.alloc(0), id: Buffer.alloc(0) };
    for (;;) {
      const rows = (await runner.query(
        `SELECT account, id FROM articles WHERE (account > ? OR (account = ? AND id > ?))
           AND ${length}(excerpt) > ${MAX_CHARACTERS} ORDER BY account, id LIMIT 100`,
        [after.account, after.account, after.id],
      )) as Key[];
      if (rows.length === 0) return;
      await runner.query(
        `UPDATE articles SET excerpt = SUBSTR(excerpt, 1, ${MAX_CHARACTERS})
         WHERE ${rows.map(() => '(account = ? AND id = ?)').join(' OR ')}`,
        rows.flatMap(({ account, id }) => [account, id]),
      );
      after = rows.at(-1)!;
    }
  }

  /** What was cut is gone, and the previous version needs none of it. */
  down(): Promise<void> {
    return Promise.resolve();
  }
}
