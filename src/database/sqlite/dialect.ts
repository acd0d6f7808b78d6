import type { Dialect, Failure } from '../session.js';

/** SQLite's extended result code, as better-sqlite3 names it. */
const codeOf = (error: unknown): string => String((error as { code?: unknown }).code);

function classify(error: unknown): Failure {
  const code = codeOf(error);
  if (code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return 'duplicate';
  if (/^SQLITE_(CORRUPT|NOTADB|READONLY_DBMOVED)/.test(code)) return 'broken';
  // Busy only after a wait of seconds for another process.
  return /^SQLITE_(BUSY|LOCKED|FULL|IOERR|READONLY|CANTOPEN|NOMEM|PERM)/.test(code) ? 'away' : 'bug';
}

/** True when only the operator can help. A file that another process has locked, or a full disk, is worth a retry. */
export const cannotBeOpened = (error: unknown): boolean =>
  ['bug', 'broken'].includes(classify(error)) || /^SQLITE_(CANTOPEN|PERM|READONLY)/.test(codeOf(error));

/** True when the file is corrupt or not a database. */
export const isCorrupt = (error: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(error));

/** True when the file does not even begin like a database. */
export const isNotDatabase = (error: unknown): boolean => codeOf(error) === 'SQLITE_NOTADB';

/** True when another process has locked the file. */
export const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY');

/** SQLite 3.43+, one writer at a time. */
export const sqliteDialect: Dialect = {
  isLocal: true,
  indexHint: (index) => ` INDEXED BY ${index}`,
  isReadOnly: '0',
  classify,
};
