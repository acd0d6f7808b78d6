import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { requireDatabaseFile } from '../database/why-not-open.js';
import { CommandError, EXIT } from './command.js';
import type { Shell } from './shell.js';
import { copyDatabase, requireSqliteFile } from './sqlite-copy.js';

/** `backup`: copies the SQLite file while the service writes to it. */
export function addBackup(commands: Command, shell: Shell): void {
  commands
    .command('backup')
    .summary('Copy the SQLite file while the service runs')
    .description(
      `Copies the SQLite file of DATABASE_URL, complete and as of one moment, while the service keeps writing, and checks the copy. "restore" reads it.

"cp" of a file in use misses what is still in its write-ahead log. For MySQL and MariaDB use mysqldump --single-transaction.`,
    )
    .argument('<file>', 'where the copy goes; must not exist yet')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage')
    .action((file: string) =>
      shell.run(async ({ settings, print, audit }) => {
        const source = requireSqliteFile(settings);
        requireDatabaseFile(settings);
        if (existsSync(file) && !statSync(file).isDirectory())
          throw new CommandError(`${file}: exists already; name a new file`);
        audit('backup', 'all users');
        const { users, articles } = await copyDatabase(source, resolve(file));
        await print(`backed up ${articles} articles of ${users} users to ${file}`);
        return EXIT.ok;
      }),
    );
}
