import type { Database } from '../database/database.js';
import { addToLiveCount } from './accounts.store.js';
import { type Command, type CommandContext, EXIT, UsageError } from './command.js';
import { highestClock, nextAccount } from './doctor/checks.store.js';
import { examineAccount } from './doctor/examine.js';
import { behindMark, readMark, writeMark } from './doctor/high-water.js';
import type { Problem } from './doctor/problem.js';
import { namesUser, USER_HELP, USER_OPTIONS, userOf } from './user-options.js';

/** Looks for data that the service itself would never write and for clocks that went back; repairs what can be repaired safely. */
export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the data of all users, and repair it',
  help: `[--key HEX | --subject SUBJECT | --basic NAME] [--repair] [--high-water FILE [--clocks-only]] [--dry-run]

Checks for each user: the clock is at or after every timestamp, the count of articles is right, tombstones have no content,
every article has its address under the right hash, which keeps it the only one with that address. The service may run.

A restored backup that is whole has nothing wrong in it, but is older than what devices know. --high-water finds that until
devices are let in again: FILE keeps the highest clock of all users that was ever seen. The first run makes it, later ones
raise it unless the clocks are behind. Keep it where restoring the database does not bring back an older one.

${USER_HELP}
  --repair           put right what can be: clocks are advanced, counts, hashes and tombstones corrected
  --high-water FILE  compare the clocks of all users with the highest one ever seen
  --clocks-only      with --high-water: compare the clocks and examine no user, which is quick
  --dry-run          write nothing, neither to the database nor to FILE

Exit codes: 0 all is well or was repaired, 1 failed, 2 wrong usage, 3 there are problems left`,
  options: {
    repair: { type: 'boolean' },
    'high-water': { type: 'string' },
    'clocks-only': { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    ...USER_OPTIONS,
  },
  needsDatabase: true,
  async run(context) {
    const behind = await examineClocks(context);
    if (behind) await context.print(`all users: ${behind.text}: ${behind.advice}`);
    let [users, found, left] = behind ? [0, 1, 1] : [0, 0, 0];
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

/** Compares the clocks with the high-water mark, if one is named, and raises it unless they are behind. */
async function examineClocks({ options, database, clock, print }: CommandContext): Promise<Problem | undefined> {
  const file = options['high-water'] as string | undefined;
  if (file === undefined) {
    if (options['clocks-only']) throw new UsageError('--clocks-only: name the --high-water FILE to compare them with.');
    return undefined;
  }
  const mark = await readMark(file);
  const now = clock();
  const highest = await database.read(highestClock);
  if (!mark) await print(`${file}: no mark yet, there is nothing to compare the clocks with`);
  const problem = mark && behindMark(mark, highest, now);
  const isHigher = !mark || highest > mark.last_modified;
  if (isHigher && !options['dry-run']) await writeMark(file, { last_modified: highest, recorded_on: now });
  return problem;
}

async function* accountsOf(context: CommandContext): AsyncGenerator<Buffer> {
  if (context.options['clocks-only']) return;
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
  const mayRepair = Boolean(options.repair) && !options['dry-run'];
  const isRepaired = mayRepair && (await repair(database, account, problem));
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
