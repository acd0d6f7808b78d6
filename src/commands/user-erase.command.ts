import type { Command } from 'commander';
import { committed, discarded, type Outcome, type Witness } from '../database/transaction.js';
import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { addToLiveCount, eraseAccount, findAccount } from '../accounts/accounts.store.js';
import { eraseUntil, oldestRecords } from '../articles/store/transfer.store.js';
import { type DatabaseContext, EXIT } from './command.js';
import type { Shell } from './shell.js';
import { addUserOptions, noSuchUser, requireOneUser, type UserOptions, userOf, whoseOf } from './user-options.js';

const CHUNK = 200;

/** `user erase`: permanently deletes everything that is stored of a user. */
export function addUserErase(commands: Command, shell: Shell): void {
  const command = commands
    .command('erase')
    .summary('Delete all that is stored of a user, for good')
    .description(
      "Deletes the user's articles, tombstones and account in small chunks; the database keeps nothing. It can be repeated when it was interrupted. Delete backups and exported files yourself. Devices that still sign in start with an empty list.",
    );
  addUserOptions(command)
    .option('--dry-run', 'only say what there is')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed or no such user, 2 wrong usage')
    .action(({ dryRun, ...user }: UserOptions & { dryRun?: boolean }) => {
      requireOneUser(user);
      return shell.withDatabase(async (context) => {
        const { database, print } = context;
        const key = await userOf(context, user);
        const account = await database.onSession((session) => findAccount(session, key));
        if (!account) throw noSuchUser(context, user, key);
        context.audit(`user erase${dryRun ? ' --dry-run' : ''}`, whoseOf(user), key);
        if (dryRun)
          await print(`would erase ${account.live_count} articles and all tombstones of ${key.toString('hex')}`);
        else await print(`erased ${await erase(context, key)} articles and tombstones of ${key.toString('hex')}`);
        return EXIT.ok;
      });
    });
}

async function erase({ database, progress }: DatabaseContext, account: Buffer): Promise<number> {
  let erased = 0;
  for (;;) {
    const count = await database.inTransaction((transaction) => eraseSome(transaction, account));
    if (count === 0) break;
    erased += count;
    progress(`${erased} articles and tombstones so far`);
  }
  return erased + (await database.inTransaction((transaction) => eraseRest(transaction, account)));
}

/** Erases the oldest records, which are looked up with the account locked: running it twice is harmless. */
async function eraseSome(transaction: Session, account: Buffer): Promise<Outcome<number>> {
  await addToLiveCount(transaction, account, 0);
  const records = await oldestRecords(transaction, account, CHUNK);
  const last = records.at(-1)?.last_modified;
  if (last === undefined) return discarded(0);
  await addToLiveCount(transaction, account, -records.filter(({ deleted }) => !deleted).length);
  return committed(await eraseUntil(transaction, account, last), isOldestErased(account, records[0]!.last_modified));
}

/** Tells whether some were erased when the reply to COMMIT is lost: the oldest of them is gone. */
const isOldestErased =
  (account: Buffer, oldest: Timestamp): Witness =>
  async (transaction) => {
    await addToLiveCount(transaction, account, 0);
    return (await oldestRecords(transaction, account, 1))[0]?.last_modified !== oldest;
  };

/** Also deletes what was added in the meantime. */
async function eraseRest(transaction: Session, account: Buffer): Promise<Outcome<number>> {
  await addToLiveCount(transaction, account, 0);
  const erased = await eraseUntil(transaction, account, Number.MAX_SAFE_INTEGER);
  await eraseAccount(transaction, account);
  return committed(erased);
}
