import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite, tableOptions } from './table-options.js';

/** One row for each personal token: its user, its name, and the SHA-256 that identifies it. */
export class CreateTokens1760000000003 implements MigrationInterface {
  name = 'CreateTokens1760000000003';

  async up(runner: QueryRunner): Promise<void> {
    if (isSqlite(runner)) {
      for (const statement of SQLITE) await runner.query(statement);
    } else {
      await runner.query(`CREATE TABLE IF NOT EXISTS tokens (${MYSQL_COLUMNS}) ${await tableOptions(runner)}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE tokens');
  }
}

const MYSQL_COLUMNS = `
  subject VARCHAR(255) NOT NULL,
  name VARCHAR(255) NOT NULL,
  token_hash BINARY(32) NOT NULL,
  created_on BIGINT NOT NULL,
  expires_on BIGINT NULL,
  last_used_on BIGINT NULL,
  PRIMARY KEY (subject, name),
  UNIQUE KEY uq_tokens_token_hash (token_hash)`;

const SQLITE = [
  `CREATE TABLE IF NOT EXISTS tokens (
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
    created_on INTEGER NOT NULL,
    expires_on INTEGER,
    last_used_on INTEGER,
    PRIMARY KEY (subject, name)
  ) WITHOUT ROWID`,
  'CREATE UNIQUE INDEX IF NOT EXISTS uq_tokens_token_hash ON tokens (token_hash)',
];
