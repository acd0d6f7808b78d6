import { type Command, InvalidArgumentError } from 'commander';
import { accountsAfter, everyAccount, raiseTimestamps } from '../accounts/accounts.store.js';
import { tick } from '../accounts/tick.js';
import { SettingError } from '../config/settings.js';
import { migrateDatabase } from '../database/open.js';
import { committed } from '../database/session.js';
import { isUsableTimestamp, type Timestamp } from '../protocol/timestamp.js';
import { purgeableBefore, purgeTombstones } from '../purge/purge.store.js';
import { CommandError, counted, type DatabaseContext, EXIT, reasonOf, type Shell } from './shell.js';

export const addMigrate = (commands: Command, shell: Shell): Command =>
  commands
    .command('migrate')
    .summary('Bring the database schema up to date')
    .description('Brings the schema of DATABASE_URL up to date. Several processes may do so at once.')
    .option('--check', 'only list what is pending; exits with 3 if anything is')
    .action(({ check = false }: { check?: boolean }) =>
      shell.run(async ({ settings, print }) => {
        const migrations = await migrateDatabase(settings, check).catch((error: unknown) => {
          throw error instanceof SettingError ? error : new CommandError(`DATABASE_URL: ${reasonOf(error as Error)}`);
        });
        for (const { name } of migrations) await print(`${check ? 'pending' : 'done'}: ${name}`);
        if (migrations.length === 0) await print('up to date');
        return check && migrations.length > 0 ? EXIT.attention : EXIT.ok;
      }),
    );

export const addPurge = (commands: Command, shell: Shell): Command =>
  commands
    .command('purge')
    .summary('Delete tombstones older than TOMBSTONE_RETENTION_DAYS')
    .description(
      `Deletes the tombstones of all users that are older than TOMBSTONE_RETENTION_DAYS, in small chunks. Live articles stay. The service does this every hour; the command does it immediately.`,
    )
    .option('--dry-run', 'only say how many there are')
    .action(({ dryRun }: { dryRun?: boolean }) => shell.withDatabase((context) => purge(context, dryRun)));

async function purge({ settings, now, database, print, progress }: DatabaseContext, dryRun = false): Promise<void> {
  if (settings.tombstoneRetentionDays === 0)
    throw new CommandError('TOMBSTONE_RETENTION_DAYS is 0, so tombstones are kept forever; set it to a number of days');
  let total = { accounts: 0, tombstones: 0 };
  for await (total of purgeTombstones(database, purgeableBefore(settings, now()), dryRun))
    progress(`${counted(total.tombstones, 'tombstone')} of ${counted(total.accounts, 'user')} so far`);
  const purged = `${counted(total.tombstones, 'tombstone')} of ${counted(total.accounts, 'user')}`;
  await print(`${dryRun ? 'would purge' : 'purged'} ${purged}`);
}

export const addAdvanceClocks = (commands: Command, shell: Shell): Command =>
  commands
    .command('advance-clocks')
    .summary('After restoring a backup: make every device start over')
    .description(
      `After a backup was restored, devices know changes that the service has lost, and request only newer ones. This gives every list a new timestamp, later than any that devices can have seen. The service then tells each device that asks for changes since an earlier one to start over. Run it before devices reconnect. "restore" includes it.`,
    )
    .option(
      '--to <time>',
      'a time later than any timestamp issued before the loss, such as 2026-01-31T12:00:00Z, if that is later than now. Needed only when the system clock of an instance was ahead',
      readTime,
    )
    .option('--dry-run', 'only say how many lists there are')
    .action(({ to = 0, dryRun = false }: { to?: Timestamp; dryRun?: boolean }) =>
      shell.withDatabase(async (context) => {
        context.audit(`advance-clocks${dryRun ? ' --dry-run' : ''}`, 'all users');
        await advanceClocks(context, Math.max(to, context.now()), dryRun);
      }),
    );

function readTime(text: string): Timestamp {
  const time = Date.parse(text);
  // A list whose clock was advanced must remain changeable.
  const yearLater = time + 31_536_000_000;
  // Without a time zone it would be the one of this machine.
  if (!/T.*(Z|[+-]\d\d:\d\d)$/.test(text) || !isUsableTimestamp(yearLater))
    throw new InvalidArgumentError('Expected a time such as 2026-01-31T12:00:00Z, before the year 9999.');
  return time;
}

/** Gives every list a timestamp of at least `to`, and makes devices with an earlier one start over. */
export async function advanceClocks({ database, print, progress }: DatabaseContext, to: Timestamp, dryRun = false) {
  let lists = 0;
  for await (const { account } of everyAccount(database, accountsAfter)) {
    if (!dryRun)
      await database.inTransaction(async (transaction) => {
        const { timestamp } = (await tick(transaction, { account, now: to, liveDelta: 0 })) ?? {};
        if (timestamp === undefined)
          throw new CommandError(`the clock of ${account.toString('hex')} is damaged; run "doctor --repair" first`);
        return committed(await raiseTimestamps(transaction, account, timestamp, timestamp));
      });
    progress(`${counted(++lists, 'list')} so far`);
  }
  await print(`${dryRun ? 'would advance' : 'advanced'} the clocks of ${counted(lists, 'list')}`);
}
