import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { resolve } from 'node:path';
import { advanceClocksCommand } from './advance-clocks.command.js';
import { type Command, CommandError, EXIT, UsageError } from './command.js';
import { doctorCommand } from './doctor.command.js';
import { withDatabase } from './open-database.js';
import { copyDatabase, highestClockIn, isInUse, requireSqliteFile } from './sqlite-copy.js';

/** Replaces the SQLite file with a backup, and makes devices start over. */
export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Put a backup in the place of the SQLite file',
  help: `FILE

Puts FILE, which "backup" made, in the place of the SQLite file of DATABASE_URL. Stop the service before: while any process has the
file open, nothing is done. What was there is kept beside it under another name. Then the data is checked and repaired
("doctor --repair") and all clocks are advanced ("advance-clocks"), later than any that the replaced file had given out.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 done, but "doctor" found problems that it cannot repair`,
  options: {},
  needsDatabase: false,
  async run(context) {
    const [file, ...more] = context.operands;
    if (file === undefined || more.length > 0) throw new UsageError('Name the one file to restore.');
    const target = requireSqliteFile(context.settings);
    if (resolve(file) === target) throw new UsageError(`${file}: is the database itself.`);
    if (existsSync(target) && isInUse(target))
      throw new CommandError(`${target}: is in use; stop every service and command that has it open, and try again`);
    const restored = `${target}.restored`;
    const { users, articles } = await copyDatabase(resolve(file), restored);
    const now = context.clock();
    const highest = await setAside(target, `${target}.replaced-${new Date(now).toISOString().replaceAll(':', '-')}`);
    await rename(restored, target);
    await context.print(`restored ${articles} articles of ${users} users from ${file}`);
    return withDatabase(context.settings, async (database) => {
      const code = await doctorCommand.run({ ...context, database, options: { repair: true } });
      const to = new Date(Math.max(now, highest + 1)).toISOString();
      await advanceClocksCommand.run({ ...context, database, options: { to } });
      await context.print(
        'with its next request each device starts over: it loads its list again and sends what it has not sent yet; ' +
          'what was changed after the backup and sent before the loss is lost',
      );
      return code === EXIT.ok ? EXIT.ok : EXIT.attention;
    });
  },
};

/** Renames the file and SQLite's companion files; returns the highest clock that it had issued, 0 if unknown. */
async function setAside(target: string, aside: string): Promise<number> {
  for (const suffix of ['', '-wal', '-shm', '-journal'])
    if (existsSync(target + suffix)) await rename(target + suffix, aside + suffix);
  return existsSync(aside) ? highestClockIn(aside) : 0;
}
