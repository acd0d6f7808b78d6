import type { Command } from 'commander';
import { purgeableBefore, purgeTombstones } from '../purge/purge.store.js';
import { CommandError, type Shell } from './shell.js';

export function addPurge(commands: Command, shell: Shell): void {
  commands
    .command('purge')
    .summary('Delete tombstones older than TOMBSTONE_RETENTION_DAYS')
    .description(
      `Deletes the tombstones of all users that are older than TOMBSTONE_RETENTION_DAYS, in small chunks. Live articles stay. The service does this every hour; the command does it immediately.`,
    )
    .option('--dry-run', 'only say how many there are')
    .action(({ dryRun = false }: { dryRun?: boolean }) =>
      shell.withDatabase(async ({ settings, now, database, print, progress }) => {
        if (settings.tombstoneRetentionDays === 0)
          throw new CommandError(
            'TOMBSTONE_RETENTION_DAYS: is 0, tombstones are kept forever; set it to a number of days',
          );
        let total = { accounts: 0, tombstones: 0 };
        for await (total of purgeTombstones(database, purgeableBefore(settings, now()), dryRun))
          progress(`${total.tombstones} tombstones of ${total.accounts} users so far`);
        await print(`${dryRun ? 'would purge' : 'purged'} ${total.tombstones} tombstones of ${total.accounts} users`);
      }),
    );
}
