import { CreateTable } from './table-changes.js';

/** One row for each user whose tokens are refused, and when the list is to be erased. */
export class CreateDeprovisioned1760000000013 extends CreateTable {
  table = 'deprovisioned';
  sqlite = `(
    account BLOB NOT NULL PRIMARY KEY CHECK (length(account) = 16),
    since INTEGER NOT NULL,
    erase_on INTEGER
  ) WITHOUT ROWID`;
  mysql = `(
    account BINARY(16) NOT NULL PRIMARY KEY,
    since BIGINT NOT NULL,
    erase_on BIGINT NULL
  )`;
}
