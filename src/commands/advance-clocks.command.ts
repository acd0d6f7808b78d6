import { type Command, InvalidArgumentError } from 'commander';
import { committed } from '../database/transaction.js';
import { accountsAfter, everyAccount, raiseTimestamps } from '../accounts/accounts.store.js';
import { tick } from '../accounts/tick.js';
import { isUsableTimestamp, type Timestamp } from '../protocol/timestamp.js';
import type { DatabaseContext, Shell } from './shell.js';

export function addAdvanceClocks(commands: Command, shell: Shell): void {
  commands
    .command('advance-clocks')
    .summary('After restoring a backup: make every device start over')
    .description(
      `After a backup was restored, devices know changes that the service has lost, and request only newer ones. This gives every list a new timestamp, later than any that devices can have seen, so that the service tells each device that asks for changes since an earlier one to start over. Run it before devices reconnect. "restore" includes it.`,
    )
    .option(
      '--to <time>',
      'a time later than any timestamp issued before the loss, such as 2026-01-31T12:00:00Z, if that is later than now. Needed only when the clock of an instance was ahead',
      readTime,
    )
    .option('--dry-run', 'only say how many lists there are')
    .action(({ to = 0, dryRun = false }: { to?: Timestamp; dryRun?: boolean }) =>
      shell.withDatabase(async (context) => {
        context.audit(`advance-clocks${dryRun ? ' --dry-run' : ''}`, 'all users');
        await advanceClocks(context, Math.max(to, context.now()), dryRun);
      }),
    );
}

function readTime(text: string): Timestamp {
  const time = Date.parse(text);
  // Without a time zone it would be the one of this machine.
  if (!/T.*(Z|[+-]\d\d:\d\d)$/.test(text) || !isUsableTimestamp(time))
    throw new InvalidArgumentError('A time such as 2026-01-31T12:00:00Z.');
  return time;
}

/** Gives every list a timestamp of at least `to`, and makes devices with an earlier one start over. */
export async function advanceClocks(context: DatabaseContext, to: Timestamp, dryRun = false): Promise<void> {
  const { database, print, progress } = context;
  let lists = 0;
  for await (const { account } of everyAccount(database, accountsAfter)) {
    if (!dryRun)
      await database.inTransaction(async (transaction) => {
        const { timestamp } = (await tick(transaction, { account, now: to, liveDelta: 0 }))!;
        await raiseTimestamps(transaction, account, timestamp, timestamp);
        return committed(undefined);
      });
    progress(`${++lists} lists so far`);
  }
  await print(`${dryRun ? 'would advance' : 'advanced'} the clocks of ${lists} lists`);
}
