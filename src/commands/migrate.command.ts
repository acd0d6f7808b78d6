import { SettingError } from '../config/settings.js';
import { migrateDatabase } from '../database/migrate.js';
import { type Command, CommandError, EXIT } from './command.js';

/** Brings the schema up to date, or lists what is pending. */
export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the database schema up to date',
  help: `[--check]

Brings the schema of DATABASE_URL up to date. Several may run at once.

  --check  only say what is pending
  --help   show this text

Exit codes: 0 up to date, 1 failed, 2 wrong usage, 3 migrations are pending (--check)`,
  options: { check: { type: 'boolean' } },
  needsDatabase: false,
  async run({ options, settings, print }) {
    const checkOnly = options.check === true;
    const names = await migrateDatabase(settings, checkOnly).catch((error: unknown) => {
      throw error instanceof SettingError ? error : new CommandError(`DATABASE_URL: ${reasonOf(error)}`);
    });
    for (const name of names) await print(`${checkOnly ? 'pending' : 'done'}: ${name}`);
    if (names.length === 0) await print('up to date');
    return checkOnly && names.length > 0 ? EXIT.attention : EXIT.ok;
  },
};

/** A failed system call means that there is no server. */
const reasonOf = (error: unknown): string => {
  const { message, syscall } = error as NodeJS.ErrnoException;
  return syscall
    ? `the database server cannot be reached (${message}); check its host and port, and that it is running`
    : message;
};
