import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { leaseOf } from '../database/lease.js';
import { PURGE_TASK, TombstonePurge } from '../purge/tombstone-purge.js';
import { CommandError, type DatabaseContext, EXIT } from './command.js';
import type { Shell } from './shell.js';

const WAIT_MS = 1_000;

/** `purge`: purges tombstones once, as the service itself does every hour. */
export function addPurge(commands: Command, shell: Shell): void {
  commands
    .command('purge')
    .summary('Delete tombstones older than TOMBSTONE_RETENTION_DAYS')
    .description(
      `Deletes the tombstones of all users that are older than TOMBSTONE_RETENTION_DAYS, in small chunks. Live articles stay. The service does this every hour; the command does it immediately.

Only one process purges at a time. The lease of one that was killed expires after five minutes.`,
    )
    .option('--wait', 'wait until no other process is purging')
    .option('--dry-run', 'only say how many there are')
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 nothing was done because another process is purging',
    )
    .action((options: Options) => shell.withDatabase((context) => purgeTombstones(context, options)));
}

interface Options {
  wait?: boolean;
  dryRun?: boolean;
}

async function purgeTombstones(context: DatabaseContext, { wait, dryRun = false }: Options): Promise<number> {
  const { settings, clock, database, print, progress } = context;
  if (settings.tombstoneRetentionDays === 0)
    throw new CommandError('TOMBSTONE_RETENTION_DAYS: is 0, tombstones are kept forever; set it to a number of days');
  const onProgress = (users: number, count: number) => progress(`${count} tombstones of ${users} users so far`);
  const purge = new TombstonePurge(database, settings, clock);
  let result = await purge.run({ dryRun, onProgress });
  while (result.isElsewhere && wait) {
    progress(`waiting: ${await otherProcess(context)}`);
    await sleep(WAIT_MS);
    result = await purge.run({ onProgress });
  }
  if (result.isElsewhere) {
    await print(`${await otherProcess(context)}; nothing was done (--wait waits)`);
    return EXIT.attention;
  }
  await print(`${dryRun ? 'would purge' : 'purged'} ${result.tombstones} tombstones of ${result.accounts} users`);
  return EXIT.ok;
}

async function otherProcess({ database }: DatabaseContext): Promise<string> {
  const lease = await leaseOf(database, PURGE_TASK);
  if (!lease) return 'another process purged until now';
  return `another process purges (${lease.holder}), or was killed: until ${new Date(lease.expires_on).toISOString()}`;
}
