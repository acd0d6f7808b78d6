import type { Database } from '../database/database.js';
import { addToLiveCount } from './accounts.store.js';
import { type Command, type CommandContext, EXIT } from './command.js';
import { nextAccount } from './doctor/checks.store.js';
import { examineAccount } from './doctor/examine.js';
import type { Problem } from './doctor/problem.js';
import { namesUser, USER_HELP, USER_OPTIONS, userOf } from './user-options.js';

/** Looks for data that the service itself would never write, and repairs what can be repaired safely. */
export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the data of all users, and repair it',
  help: `[--key HEX | --subject SUBJECT | --basic NAME] [--repair]

Checks for each user: the clock is at or after every timestamp, the count of articles is right, tombstones have no content,
every article has its address under the right hash, which keeps it the only one with that address. The service may run.

${USER_HELP}
  --repair           put right what can be: clocks are advanced, counts, hashes and tombstones corrected

Exit codes: 0 all is well or was repaired, 1 failed, 2 wrong usage, 3 there are problems left`,
  options: { repair: { type: 'boolean' }, ...USER_OPTIONS },
  needsDatabase: true,
  async run(context) {
    let [users, found, left] = [0, 0, 0];
    for await (const account of accountsOf(context)) {
      for (const problem of await examineAccount(context.database, account)) {
        found++;
        if (!(await treat(context, account, problem))) left++;
      }
      context.progress(`${++users} users so far, ${found} problems`);
    }
    await context.print(`${users} users examined, ${found} problems found, ${found - left} repaired`);
    return left > 0 ? EXIT.attention : EXIT.ok;
  },
};

async function* accountsOf(context: CommandContext): AsyncGenerator<Buffer> {
  if (namesUser(context)) {
    yield await userOf(context);
    return;
  }
  for (let after: Buffer | undefined = Buffer.alloc(0); ;) {
    const from: Buffer = after;
    after = await context.database.read((session) => nextAccount(session, from));
    if (!after) return;
    yield after;
  }
}

/** Says what is wrong and what was done about it; true when it is right now. */
async function treat(
  { database, options, print }: CommandContext,
  account: Buffer,
  problem: Problem,
): Promise<boolean> {
  const isRepaired = Boolean(options.repair) && (await repair(database, account, problem));
  const outcome = isRepaired ? 'repaired' : (problem.advice ?? 'run with --repair');
  await print(`${account.toString('hex')}: ${problem.text}: ${outcome}`);
  return isRepaired;
}

/** False when it can not be, or when two records turn out to need the same thing. */
async function repair(database: Database, account: Buffer, { repair: put }: Problem): Promise<boolean> {
  if (!put) return false;
  try {
    await database.write(async (transaction) => {
      await addToLiveCount(transaction, account, 0);
      await put(transaction);
    });
    return true;
  } catch (error) {
    if (database.dialect.classify(error) === 'duplicate') return false;
    throw error;
  }
}
