import type { Command } from 'commander';
import { TombstonePurge } from '../purge/tombstone-purge.js';
import { CommandError, type DatabaseContext, type Shell } from './shell.js';

export function addPurge(commands: Command, shell: Shell): void {
  commands
    .command('purge')
    .summary('Delete tombstones older than TOMBSTONE_RETENTION_DAYS')
    .description(
      `Deletes the tombstones of all users that are older than TOMBSTONE_RETENTION_DAYS, in small chunks. Live articles stay. The service does this every hour; the command does it immediately.`,
    )
    .option('--dry-run', 'only say how many there are')
    .action((options: Options) => shell.withDatabase((context) => purgeTombstones(context, options)));
}

interface Options {
  dryRun?: boolean;
}

async function purgeTombstones(context: DatabaseContext, { dryRun = false }: Options): Promise<void> {
  const { settings, clock, database, print, progress } = context;
  if (settings.tombstoneRetentionDays === 0)
    throw new CommandError('TOMBSTONE_RETENTION_DAYS: is 0, tombstones are kept forever; set it to a number of days');
  const onProgress = (users: number, count: number) => progress(`${count} tombstones of ${users} users so far`);
  const { accounts, tombstones } = await new TombstonePurge(database, settings, clock).run({ dryRun, onProgress });
  await print(`${dryRun ? 'would purge' : 'purged'} ${tombstones} tombstones of ${accounts} users`);
}
