import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { requireDatabaseFile } from '../database/expected.js';
import { type Command, CommandError, EXIT, UsageError } from './command.js';
import { copyDatabase, requireSqliteFile } from './sqlite-copy.js';

/** Copies the SQLite file while the service writes to it. */
export const backupCommand: Command = {
  name: 'backup',
  summary: 'Copy the SQLite file while the service runs',
  help: `FILE

Copies the SQLite file of DATABASE_URL to FILE, complete and as of one moment, while the service keeps writing, and checks the copy.
"cp" of a file in use misses what is still in its write-ahead log. FILE must not exist yet. "restore" reads it.
For MySQL and MariaDB use mysqldump --single-transaction.

Exit codes: 0 done, 1 failed, 2 wrong usage`,
  options: {},
  takesOperands: true,
  checkUsage({ operands }) {
    if (operands.length !== 1) throw new UsageError('Name one file for the copy.');
  },
  needsDatabase: false,
  async run({ operands, settings, print }) {
    const file = operands[0]!;
    const source = requireSqliteFile(settings);
    requireDatabaseFile(settings);
    if (existsSync(file) && !statSync(file).isDirectory())
      throw new CommandError(`${file}: exists already; name a new file`);
    const { users, articles } = await copyDatabase(source, resolve(file));
    await print(`backed up ${articles} articles of ${users} users to ${file}`);
    return EXIT.ok;
  },
};
