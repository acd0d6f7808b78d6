import { TombstonePurge } from '../purge/tombstone-purge.js';
import { type Command, CommandError, EXIT } from './command.js';

/** Purges tombstones once, as the service does by itself every hour. */
export const purgeCommand: Command = {
  name: 'purge',
  summary: 'Delete tombstones older than TOMBSTONE_RETENTION_DAYS',
  help: `[--dry-run]

Deletes the tombstones of all users that are older than TOMBSTONE_RETENTION_DAYS, in small chunks. Live articles stay.
The service does it by itself every hour; this is for the impatient.

  --dry-run  only say how many there are

Exit codes: 0 done, 1 failed, 2 wrong usage`,
  options: { 'dry-run': { type: 'boolean' } },
  needsDatabase: true,
  async run({ options, settings, clock, database, print, progress }) {
    if (settings.tombstoneRetentionDays === 0)
      throw new CommandError(
        'TOMBSTONE_RETENTION_DAYS: is 0, tombstones are kept for ever; set it to a number of days',
      );
    const dryRun = options['dry-run'] === true;
    const onProgress = (users: number, count: number) => progress(`${count} tombstones of ${users} users so far`);
    const result = await new TombstonePurge(database, settings, clock).run({ dryRun, onProgress });
    if (result.isElsewhere) await print('another process is purging; nothing left to do here');
    else
      await print(`${dryRun ? 'would purge' : 'purged'} ${result.tombstones} tombstones of ${result.accounts} users`);
    return EXIT.ok;
  },
};
