import type { MigrationInterface, QueryRunner } from 'typeorm';
import { isSqlite, tableOptions } from './table-options.js';

/**
 * Articles and tombstones. A tombstone keeps only its key, timestamp and flag. The hashes are SHA-256 of the URLs, NULL
 * once deleted, so that the database itself enforces one live article per URL.
 */
export class CreateArticles1760000000001 implements MigrationInterface {
  name = 'CreateArticles1760000000001';

  async up(runner: QueryRunner): Promise<void> {
    if (isSqlite(runner)) {
      for (const statement of SQLITE) await runner.query(statement);
    } else {
      await runner.query(`CREATE TABLE IF NOT EXISTS articles (${MYSQL_COLUMNS}) ${await tableOptions(runner)}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE articles');
  }
}

const LIVE_INDEX = '(account, deleted, last_modified, unread, archived, favorite, is_article)';

const MYSQL_COLUMNS = `
  account BINARY(16) NOT NULL,
  id BINARY(16) NOT NULL,
  last_modified BIGINT NOT NULL,
  deleted TINYINT NOT NULL,
  url VARCHAR(2048) NULL,
  url_hash BINARY(32) NULL,
  preview VARCHAR(2048) NULL,
  title VARCHAR(1024) NULL,
  resolved_url VARCHAR(2048) NULL,
  resolved_url_hash BINARY(32) NULL,
  resolved_title VARCHAR(1024) NULL,
  excerpt LONGTEXT NULL,
  archived TINYINT NULL,
  favorite TINYINT NULL,
  is_article TINYINT NULL,
  word_count BIGINT NULL,
  unread TINYINT NULL,
  added_by VARCHAR(255) NULL,
  added_on BIGINT NULL,
  stored_on BIGINT NULL,
  marked_read_by VARCHAR(255) NULL,
  marked_read_on BIGINT NULL,
  read_position BIGINT NULL,
  PRIMARY KEY (account, id),
  UNIQUE KEY uq_articles_last_modified (account, last_modified),
  UNIQUE KEY uq_articles_url_hash (account, url_hash),
  UNIQUE KEY uq_articles_resolved_url_hash (account, resolved_url_hash),
  KEY ix_articles_live ${LIVE_INDEX}`;

const SQLITE = [
  `CREATE TABLE IF NOT EXISTS articles (
    account BLOB NOT NULL CHECK (length(account) = 16),
    id BLOB NOT NULL CHECK (length(id) = 16),
    last_modified INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    url TEXT, url_hash BLOB, preview TEXT, title TEXT, resolved_url TEXT, resolved_url_hash BLOB, resolved_title TEXT,
    excerpt TEXT, archived INTEGER, favorite INTEGER, is_article INTEGER, word_count INTEGER, unread INTEGER,
    added_by TEXT, added_on INTEGER, stored_on INTEGER, marked_read_by TEXT, marked_read_on INTEGER,
    read_position INTEGER,
    PRIMARY KEY (account, id)
  )`,
  'CREATE UNIQUE INDEX IF NOT EXISTS uq_articles_last_modified ON articles (account, last_modified)',
  'CREATE UNIQUE INDEX IF NOT EXISTS uq_articles_url_hash ON articles (account, url_hash)',
  'CREATE UNIQUE INDEX IF NOT EXISTS uq_articles_resolved_url_hash ON articles (account, resolved_url_hash)',
  `CREATE INDEX IF NOT EXISTS ix_articles_live ON articles ${LIVE_INDEX}`,
];
