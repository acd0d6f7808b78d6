import { CreateTable } from './table-changes.js';

/** One row per user: the clock, the lock for writers, and the number of live articles. */
export class CreateAccounts1760000000000 extends CreateTable {
  table = 'accounts';
  sqlite = `(
    account BLOB NOT NULL PRIMARY KEY CHECK (length(account) = 16),
    last_modified INTEGER NOT NULL,
    live_count INTEGER NOT NULL,
    purged_until INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID`;
  mysql = `(
    account BINARY(16) NOT NULL PRIMARY KEY,
    last_modified BIGINT NOT NULL,
    live_count INT NOT NULL,
    purged_until BIGINT NOT NULL DEFAULT 0
  )`;
}

const LIVE_INDEX = '(account, deleted, last_modified, unread, archived, favorite, is_article)';

/** Articles and tombstones; see `StoredArticle`. SQLite reads what lies before a column to get at it: the longest is last. */
export class CreateArticles1760000000001 extends CreateTable {
  table = 'articles';
  sqlite = `(
    account BLOB NOT NULL CHECK (length(account) = 16),
    id BLOB NOT NULL CHECK (length(id) = 16),
    last_modified INTEGER NOT NULL,
    deleted INTEGER NOT NULL,
    url TEXT, url_hash BLOB, preview TEXT, title TEXT, resolved_url TEXT, resolved_url_hash BLOB, resolved_title TEXT,
    archived INTEGER, favorite INTEGER, is_article INTEGER, word_count INTEGER, unread INTEGER,
    added_by TEXT, added_on INTEGER, stored_on INTEGER, marked_read_by TEXT, marked_read_on INTEGER,
    read_position INTEGER, excerpt TEXT,
    PRIMARY KEY (account, id)
  )`;
  override sqliteIndexes = [
    'CREATE UNIQUE INDEX IF NOT EXISTS uq_articles_last_modified ON articles (account, last_modified)',
    'CREATE UNIQUE INDEX IF NOT EXISTS uq_articles_url_hash ON articles (account, url_hash)',
    'CREATE UNIQUE INDEX IF NOT EXISTS uq_articles_resolved_url_hash ON articles (account, resolved_url_hash)',
    `CREATE INDEX IF NOT EXISTS ix_articles_live ON articles ${LIVE_INDEX}`,
  ];
  mysql = `(
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
    KEY ix_articles_live ${LIVE_INDEX}
  )`;
}

/** One row for each task that only one process may run at a time: who runs it, and until when nobody else may. */
export class CreateLeases1760000000002 extends CreateTable {
  table = 'leases';
  sqlite = '(task TEXT NOT NULL PRIMARY KEY, holder TEXT NOT NULL, expires_on INTEGER NOT NULL) WITHOUT ROWID';
  mysql = '(task VARCHAR(64) NOT NULL PRIMARY KEY, holder CHAR(36) NOT NULL, expires_on BIGINT NOT NULL)';
}

/** One row for each personal token: its user, its name, and the SHA-256 that identifies it. */
export class CreateTokens1760000000003 extends CreateTable {
  table = 'tokens';
  sqlite = `(
    subject TEXT NOT NULL,
    name TEXT NOT NULL,
    token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
    created_on INTEGER NOT NULL,
    expires_on INTEGER,
    last_used_on INTEGER,
    PRIMARY KEY (subject, name)
  ) WITHOUT ROWID`;
  override sqliteIndexes = ['CREATE UNIQUE INDEX IF NOT EXISTS uq_tokens_token_hash ON tokens (token_hash)'];
  mysql = `(
    subject VARCHAR(255) NOT NULL,
    name VARCHAR(255) NOT NULL,
    token_hash BINARY(32) NOT NULL,
    created_on BIGINT NOT NULL,
    expires_on BIGINT NULL,
    last_used_on BIGINT NULL,
    PRIMARY KEY (subject, name),
    UNIQUE KEY uq_tokens_token_hash (token_hash)
  )`;
}
