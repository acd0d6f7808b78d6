import { AddColumn } from './table-changes.js';

/** Marks of the last transactions, for when COMMIT gets no reply. */
export class AddRecentWrites1760000000011 extends AddColumn {
  table = 'accounts';
  column = 'recent_writes';
  sqlite = 'TEXT';
  mysql = 'VARCHAR(192) NULL';
}
