import { AddColumn } from './table-changes.js';

/** Whether a personal token may only read. */
export class AddReadOnlyTokens1760000000012 extends AddColumn {
  table = 'tokens';
  column = 'read_only';
  sqlite = 'INTEGER';
  mysql = 'TINYINT NULL';
}
