import type { Dialect, Failure } from '../session.js';

/** By SQLite's extended result codes, as better-sqlite3 names them. */
function classify(error: unknown): Failure {
  const code = String((error as { code?: unknown }).code);
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return 'duplicate';
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) return 'retry';
  if (/^SQLITE_(CORRUPT|NOTADB|READONLY_DBMOVED)/.test(code)) return 'broken';
  return /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|NOMEM|PERM)/.test(code) ? 'away' : 'bug';
}

/**
 * True when opening failed for a reason that only the operator can fix: no such directory, not a database, no
 * permission. A file that another process has locked, or a full disk, is worth a retry.
 */
export function cannotBeOpened(error: unknown): boolean {
  const failure = classify(error);
  if (failure === 'bug' || failure === 'broken') return true;
  return /^SQLITE_(CANTOPEN|PERM|READONLY|AUTH)/.test(String((error as { code?: unknown }).code));
}

/** True when the file is corrupt or not a database. */
export const isCorrupt = (error: unknown): boolean =>
  /^SQLITE_(CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code));

/** True when the file does not even begin like a database. */
export const isNoDatabase = (error: unknown): boolean => (error as { code?: unknown }).code === 'SQLITE_NOTADB';

/** True when another process has locked the file. */
export const isBusy = (error: unknown): boolean => String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

/** SQLite 3.43+, one writer at a time. */
export const sqliteDialect: Dialect = {
  begin: 'BEGIN IMMEDIATE',
  isLocal: true,
  indexHint: (index) => ` INDEXED BY ${index}`,
  isReadOnly: '0',
  classify,
};
