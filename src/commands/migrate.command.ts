import type { Command } from 'commander';
import { SettingError } from '../config/settings.js';
import { migrateDatabase } from '../database/migrate.js';
import { isBusy } from '../database/sqlite/dialect.js';
import { CommandError, EXIT, type Shell } from './shell.js';

export function addMigrate(commands: Command, shell: Shell): void {
  commands
    .command('migrate')
    .summary('Bring the database schema up to date')
    .description('Brings the schema of DATABASE_URL up to date. Several may run at once.')
    .option('--check', 'only say what is pending; anything that is needs attention (3)')
    .action(({ check = false }: { check?: boolean }) =>
      shell.run(async ({ settings, print }) => {
        const names = await migrateDatabase(settings, check).catch((error: unknown) => {
          throw error instanceof SettingError ? error : new CommandError(`DATABASE_URL: ${reasonOf(error)}`);
        });
        for (const name of names) await print(`${check ? 'pending' : 'done'}: ${name}`);
        if (names.length === 0) await print('up to date');
        return check && names.length > 0 ? EXIT.attention : EXIT.ok;
      }),
    );
}

/** What went wrong, and what to do about it where that is known. */
function reasonOf(error: unknown): string {
  const { message, syscall } = error as NodeJS.ErrnoException;
  if (isBusy(error)) return `another process holds the file (${message}); end it, or try again when it is done`;
  // A failed system call means that there is no server.
  return syscall
    ? `the database server cannot be reached (${message}); check its host and port, and that it is running`
    : message;
}
