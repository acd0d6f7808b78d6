import { existsSync } from 'node:fs';
import { chmod, rename, rm, stat } from 'node:fs/promises';
import Sqlite from 'better-sqlite3';
import type { Settings } from '../config/settings.js';
import { databaseFile, whyUnusable } from '../database/why-not-open.js';
import { isBusy, isCorrupt, isNoDatabase } from '../database/sqlite/connection.js';
import { LATEST_TIMESTAMP } from '../protocol/timestamp.js';
import { CommandError } from './shell.js';

/** The suffixes of a database file and its companion files; the first is that of the database itself. */
export const FILE_SUFFIXES = ['', '-journal', '-wal', '-shm'];

/** The SQLite file of the settings. Throws `CommandError` for any other database. */
export function requireSqliteFile(settings: Settings): string {
  const file = databaseFile(settings);
  if (file !== undefined) return file;
  if (settings.databaseUrl.startsWith('sqlite:'))
    throw new CommandError('DATABASE_URL: sqlite::memory: has no file; this command needs sqlite:PATH');
  throw new CommandError(
    'DATABASE_URL: this command is for SQLite files; for MySQL and MariaDB use mysqldump and mysql, as ' +
      'docs/operations.md ("Backup and restore") says',
  );
}

/** Copies a database that may be in use, as of one moment, and checks the copy. Throws `CommandError` if that fails. */
export async function copyDatabase(from: string, to: string) {
  const unusable = whyUnusable(to);
  if (unusable) throw new CommandError(`${to} ${unusable}`);
  if (!existsSync(from)) throw new CommandError(`${from}: there is no such file`);
  const unfinished = `${to}.${process.pid}.tmp`;
  try {
    const source = new Sqlite(from, { fileMustExist: true, timeout: 5_000 });
    try {
      // Without an open snapshot, every commit of the service would make SQLite start from the beginning.
      source.exec('BEGIN');
      source.prepare('SELECT COUNT(*) FROM sqlite_master').get();
      await source.backup(unfinished);
    } finally {
      source.close();
    }
    const contents = contentsOf(unfinished);
    await chmod(unfinished, (await stat(from)).mode);
    await rename(unfinished, to);
    return contents;
  } catch (error) {
    await removeDatabase(unfinished);
    throw error instanceof CommandError ? error : new CommandError(`${from} ${whyNotCopied(from, to, error)}`);
  }
}

export async function removeDatabase(file: string): Promise<void> {
  for (const suffix of FILE_SUFFIXES) await rm(file + suffix, { force: true });
}

/** What an intact database of this service has, and its highest clock. Checks that it is one; leaves no companion files. */
function contentsOf(file: string) {
  const copy = new Sqlite(file, { fileMustExist: true });
  try {
    copy.pragma('journal_mode = DELETE');
    const problem = copy.pragma('integrity_check(1)', { simple: true }) as string;
    if (problem !== 'ok')
      throw new CommandError(`the copy is damaged (${problem.split('\n').at(-1)}); use another one`);
    const contents = copy.prepare(
      `SELECT COUNT(*) AS users, COALESCE(SUM(live_count), 0) AS articles,
         COALESCE(MAX(CASE WHEN last_modified BETWEEN 0 AND ${LATEST_TIMESTAMP} THEN last_modified END), 0) AS highest
       FROM accounts`,
    );
    return contents.get() as { users: number; articles: number; highest: number };
  } finally {
    copy.close();
  }
}

/** Throws `CommandError` while another process has the database open. A corrupt file counts as unused. */
export function requireUnused(file: string): void {
  if (!existsSync(file)) return;
  const handle = new Sqlite(file, { fileMustExist: true, timeout: 1_000 });
  try {
    // Only an exclusive user can turn off the write-ahead log.
    if (handle.pragma('journal_mode = DELETE', { simple: true }) !== 'wal') return;
  } catch (error) {
    if (!isBusy(error)) return;
  } finally {
    handle.close();
  }
  throw new CommandError(`${file} is in use; stop every service and command that has it open, and try again`);
}

/** The highest clock in a file; 0 when there is none that can be read. */
export function highestClockIn(file: string): number {
  try {
    return contentsOf(file).highest;
  } catch {
    return 0;
  }
}

function whyNotCopied(from: string, to: string, error: unknown): string {
  const [reason = ''] = (error as Error).message.split('\n');
  if (isNoDatabase(error) || /^no such (table|column): /.test(reason))
    return 'is not a database of this service; check the path';
  if (isCorrupt(error)) return `is damaged (${reason})`;
  return whyUnusable(from) ?? `cannot be copied to ${to}: ${reason}`;
}
