import { existsSync, realpathSync, statSync } from 'node:fs';
import { chmod, chown, rename, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { requireDatabaseFile, whyUnusable } from '../database/why-not-open.js';
import { advanceClocks } from './database.commands.js';
import { type CommandContext, CommandError, counted, type Shell, withDatabase } from './shell.js';
import { examine } from './doctor.command.js';
import {
  copyDatabase,
  FILE_SUFFIXES,
  highestClockIn,
  removeDatabase,
  requireSqliteFile,
  requireUnused,
} from './sqlite-copy.js';

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
      shell.run(async ({ settings, print, audit }) => {
        const source = requireSqliteFile(settings);
        requireDatabaseFile(settings);
        if (FILE_SUFFIXES.some((suffix) => resolve(file) === source + suffix))
          throw new CommandError(`${file} belongs to the database; name another file`);
        if (existsSync(file) && !statSync(file).isDirectory())
          throw new CommandError(`${file} already exists; name a new file`);
        audit('backup', 'all users');
        const { users, articles } = await copyDatabase(source, resolve(file));
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
  const { users, articles } = await copyDatabase(resolve(file), restored);
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
    'with its next request each device starts over: it loads its list again and sends what it has not sent yet; ' +
      'what was changed after the backup and sent before the loss is lost',
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
