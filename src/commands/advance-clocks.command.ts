import { committed } from '../database/outcome.js';
import type { Database } from '../database/database.js';
import { raiseTimestamps } from '../accounts/accounts.store.js';
import { tick } from '../accounts/tick.js';
import { isUsableTimestamp } from '../protocol/timestamp.js';
import { allAccounts } from './all-accounts.js';
import { type Command, EXIT, UsageError } from './command.js';

/** For use after restoring a backup, when devices are ahead of the service and have to start over. */
export const advanceClocksCommand: Command = {
  name: 'advance-clocks',
  summary: 'After restoring a backup: make every device start over',
  help: `[--to TIME] [--dry-run]

After a backup was restored, devices know changes that the service has lost, and request only newer ones. This gives every
list a new timestamp, later than any that devices can have seen, so that the service tells each device that asks for
changes since an earlier one to start over. Run it before devices reconnect.

  --to TIME  a time later than any timestamp issued before the loss, such as 2026-01-31T12:00:00Z; default: now. Needed only
             when the clock of an instance was ahead; "doctor --high-water" names the time
  --dry-run  only say how many lists there are

Exit codes: 0 done, 1 failed, 2 wrong usage`,
  options: { to: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  checkUsage({ options: { to } }) {
    if (to !== undefined && !isUsableTimestamp(Date.parse(to as string)))
      throw new UsageError('--to: a time such as 2026-01-31T12:00:00Z.');
  },
  needsDatabase: true,
  async run({ options, database, clock, print, progress }) {
    const to = options.to === undefined ? clock() : Date.parse(options.to as string);
    let lists = 0;
    for await (const { account } of allAccounts(database)) {
      if (!options['dry-run']) await advance(database, account, to);
      progress(`${++lists} lists so far`);
    }
    await print(`${options['dry-run'] ? 'would advance' : 'advanced'} the clocks of ${lists} lists`);
    return EXIT.ok;
  },
};

async function advance(database: Database, account: Buffer, now: number): Promise<void> {
  await database.inTransaction(async (transaction) => {
    const { timestamp } = (await tick(transaction, { account, now, liveDelta: 0 }))!;
    await raiseTimestamps(transaction, account, timestamp, timestamp);
    return committed(undefined);
  });
}
