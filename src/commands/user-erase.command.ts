import type { Transaction } from '../database/database.js';
import { addToLiveCount, eraseAccount, eraseUntil, findAccount, itemsAfter } from './accounts.store.js';
import { type Command, CommandError, type CommandContext, EXIT } from './command.js';
import { USER_HELP, USER_OPTIONS, userOf } from './user-options.js';

const CHUNK = 200;

/** Deletes all that is stored of a user, for good. */
export const userEraseCommand: Command = {
  name: 'user erase',
  summary: 'Delete all that is stored of a user, for good',
  help: `(--key HEX | --subject SUBJECT | --basic NAME) [--dry-run]

Deletes the user's articles, tombstones and account in small chunks; the database keeps nothing. It can be repeated when it
was interrupted. Backups and exported files are yours to delete. Devices that still sign in begin an empty list.

${USER_HELP}
  --dry-run          only say what there is

Exit codes: 0 done, 1 failed or no such user, 2 wrong usage`,
  options: { 'dry-run': { type: 'boolean' }, ...USER_OPTIONS },
  needsDatabase: true,
  async run(context) {
    const { database, options, print } = context;
    const key = await userOf(context);
    const account = await database.read((session) => findAccount(session, key));
    if (!account)
      throw new CommandError(`There is no user with the key ${key.toString('hex')}; "user list" shows all.`);
    if (options['dry-run'])
      await print(`would erase ${account.live_count} articles and all tombstones of ${key.toString('hex')}`);
    else await print(`erased ${await erase(context, key)} articles and tombstones of ${key.toString('hex')}`);
    return EXIT.ok;
  },
};

async function erase({ database, progress }: CommandContext, account: Buffer): Promise<number> {
  let erased = 0;
  for (;;) {
    const items = await database.read((session) => itemsAfter(session, account, 0, CHUNK));
    const last = items.at(-1)?.last_modified;
    if (last === undefined) break;
    const live = items.filter((item) => !('deleted' in item)).length;
    erased += await database.write(async (transaction) => {
      await addToLiveCount(transaction, account, -live);
      return eraseUntil(transaction, account, last);
    });
    progress(`${erased} articles and tombstones so far`);
  }
  return erased + (await database.write((transaction) => eraseRest(transaction, account)));
}

/** What came in meanwhile goes with the account. */
async function eraseRest(transaction: Transaction, account: Buffer): Promise<number> {
  await addToLiveCount(transaction, account, 0);
  const erased = await eraseUntil(transaction, account, Number.MAX_SAFE_INTEGER);
  await eraseAccount(transaction, account);
  return erased;
}
