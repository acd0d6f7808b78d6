import { existsSync, realpathSync, statSync } from 'node:fs';
import { chmod, chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { type Command, InvalidArgumentError } from 'commander';
import type { Settings } from '../config/settings.js';
import { isBusy, isCorrupt, isNotDatabase } from '../database/sqlite/dialect.js';
import { databaseFile, requireDatabaseFile, whyUnusable } from '../database/why-not-open.js';
import { MAX_TIMESTAMP } from '../protocol/timestamp.js';
import { advanceClocks } from './database.commands.js';
import { examine } from './doctor.command.js';
import { type CommandContext, CommandError, counted, type Shell, withDatabase } from './shell.js';

const FILE_SUFFIXES = ['', '-journal', '-wal', '-shm'];

export const addBackup = (commands: Command, shell: Shell): Command =>
  commands
    .command('backup')
    .summary('Copy the SQLite file while the service runs')
    .description(
      `Copies the SQLite file of DATABASE_URL, complete and as of one moment, while the service keeps writing, and checks the copy. "restore" reads it.

"cp" of a file in use misses what is still in its write-ahead log. For MySQL and MariaDB use mysqldump --single-transaction.`,
    )
    .argument('<file>', 'where the copy goes; must not exist yet')
    .action((file: string) =>
      shell.run(async ({ settings, print, audit, progress }) => {
        const source = requireSqliteFile(settings);
        requireDatabaseFile(settings);
        if (FILE_SUFFIXES.some((suffix) => resolve(file) === source + suffix))
          throw new CommandError(`${file} belongs to the database; name another file`);
        if (existsSync(file) && !statSync(file).isDirectory())
          throw new CommandError(`${file} already exists; name a new file`);
        audit('backup', 'all users');
        const { users, articles } = await copyDatabase(source, resolve(file), progress);
        await print(`backed up ${counted(articles, 'article')} of ${counted(users, 'user')} to ${file}`);
      }),
    );

export const addRestore = (commands: Command, shell: Shell): Command =>
  commands
    .command('restore')
    .summary('Put a backup in the place of the SQLite file')
    .description(
      `Puts a copy that "backup" made in the place of the SQLite file of DATABASE_URL. Stop the service first: while any process has the file open, nothing is done.

First the copy is brought up to date, checked and repaired ("doctor --repair"), and its clocks are advanced ("advance-clocks") beyond any time that the existing file has issued. Only then is it put in place, and the existing file kept next to it under another name. If the command fails or is interrupted earlier, nothing is replaced. Exit code 3 means that it is done, but "doctor" found problems that it cannot repair.`,
    )
    .argument('<file>', 'the backup')
    .action((file: string) => shell.run((context) => restore(context, file)));

async function restore(context: CommandContext, file: string): Promise<number> {
  const named = requireSqliteFile(context.settings);
  // The target of a link, not the link itself.
  const target = existsSync(named) ? realpathSync(named) : named;
  if (resolve(file) === target) throw new InvalidArgumentError(`${file} is the database itself.`);
  const unusable = whyUnusable(target);
  if (unusable) throw new CommandError(`DATABASE_URL: ${target} ${unusable}`);
  requireUnused(target);
  context.audit('restore', 'all users');
  const time = new Date(context.now()).toISOString().replaceAll(':', '-');
  const restored = `${target}.restoring-${time}`;
  const { users, articles } = await copyDatabase(resolve(file), restored, context.progress);
  const code = await prepare(context, restored, target).catch(async (error: unknown) => {
    await removeDatabase(restored);
    throw error;
  });
  const replaced = `${target}.replaced-${time}`;
  for (const suffix of FILE_SUFFIXES) if (existsSync(target + suffix)) await rename(target + suffix, replaced + suffix);
  await rename(restored, target);
  await context.print(`restored ${counted(articles, 'article')} of ${counted(users, 'user')} from ${file}`);
  if (existsSync(replaced)) await context.print(`the file that was there before is kept as ${replaced}`);
  await context.print(
    'with its next request each device starts over: it loads its list again and sends what it has not sent yet; what was changed after the backup and sent before the loss is lost',
  );
  return code;
}

/** Repairs the copy and advances its clocks, so that no service ever opens it while devices are ahead of its clocks. */
async function prepare(context: CommandContext, file: string, target: string): Promise<number> {
  await keepOwner(target, file);
  const settings = { ...context.settings, databaseUrl: `sqlite:${file}` };
  const code = await withDatabase(settings, async (database) => {
    const code = await examine({ ...context, database }, true);
    await advanceClocks({ ...context, database }, Math.max(context.now(), highestClockIn(target) + 1));
    return code;
  });
  // A supervisor may have started the service again.
  for (const each of [file, target]) requireUnused(each);
  return code;
}

/** Gives the file the owner and mode of the one that it replaces: even if root restores it, the service has to write to it. */
async function keepOwner(target: string, file: string): Promise<void> {
  const hasTarget = existsSync(target);
  const { mode } = await stat(hasTarget ? target : file);
  await chmod(file, mode | 0o600);
  const { uid, gid } = await stat(hasTarget ? target : dirname(target));
  if (process.getuid?.() !== 0 || uid === 0) return;
  await chown(file, uid, gid).catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandError(`${target}: its owner cannot be kept (${code}); run this as the user of the service`);
  });
}

function requireSqliteFile(settings: Settings): string {
  const file = databaseFile(settings);
  if (file !== undefined) return file;
  throw new CommandError(
    'DATABASE_URL: this command needs a file (sqlite:PATH); for MySQL and MariaDB use mysqldump and mysql, as docs/operations.md ("Backup and restore") says',
  );
}

/** Copies a database that may be in use, as of one moment, and checks the copy. Throws `CommandError` if that fails. */
export async function copyDatabase(from: string, to: string, progress: CommandContext['progress'] = () => undefined) {
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
      // Nobody else may read it, not even while it is written.
      await writeFile(unfinished, '', { mode: 0o600 });
      await source.backup(unfinished, {
        progress: ({ totalPages, remainingPages }) => {
          progress(`copied ${totalPages - remainingPages} of ${totalPages} pages so far`);
          return 100;
        },
      });
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

async function removeDatabase(file: string): Promise<void> {
  for (const suffix of FILE_SUFFIXES) await rm(file + suffix, { force: true });
}

/** Checks that it is a database of this service, and intact unless it `mayBeDamaged`. Leaves no companion files. */
function contentsOf(file: string, mayBeDamaged = false) {
  const copy = new Sqlite(file, { fileMustExist: true });
  try {
    copy.pragma('journal_mode = DELETE');
    const problem = mayBeDamaged ? 'ok' : (copy.pragma('integrity_check(1)', { simple: true }) as string);
    if (problem !== 'ok')
      throw new CommandError(
        `the data is damaged (${problem.split('\n').at(-1)}); use another backup, or run "doctor" on the database`,
      );
    const sql = `SELECT COUNT(*) AS users, COALESCE(SUM(live_count), 0) AS articles,
        COALESCE(MAX(CASE WHEN last_modified BETWEEN 0 AND ${MAX_TIMESTAMP} THEN last_modified END), 0) AS highest
      FROM accounts`;
    return copy.prepare(sql).get() as { users: number; articles: number; highest: number };
  } finally {
    copy.close();
  }
}

/** A corrupt file counts as unused. */
function requireUnused(file: string): void {
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

function highestClockIn(file: string): number {
  try {
    return contentsOf(file, true).highest;
  } catch {
    return 0;
  }
}

function whyNotCopied(from: string, to: string, error: unknown): string {
  const [reason = ''] = (error as Error).message.split('\n');
  if (isNotDatabase(error) || /^no such (table|column): /.test(reason))
    return 'is not a database of this service; check the path';
  if (isCorrupt(error)) return `is damaged (${reason})`;
  return whyUnusable(from) ?? `cannot be copied to ${to}: ${reason}`;
}
