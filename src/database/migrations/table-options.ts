import type { QueryRunner } from 'typeorm';

export const isSqlite = (runner: QueryRunner): boolean => runner.dataSource.options.type === 'better-sqlite3';

/**
 * The table options of a CREATE TABLE on MySQL and MariaDB. Texts compare by code point and without padding, for which
 * the two have different collations.
 */
export async function tableOptions(runner: QueryRunner): Promise<string> {
  const [row] = (await runner.query('SELECT VERSION() AS version')) as { version: string }[];
  const collation = row!.version.includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return `ENGINE=InnoDB ROW_FORMAT=DYNAMIC DEFAULT CHARSET=utf8mb4 COLLATE=${collation}`;
}
