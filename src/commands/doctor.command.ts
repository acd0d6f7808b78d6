import type { Command } from 'commander';
import { CORRUPT_ADVICE } from '../database/why-not-open.js';
import { isCorrupt } from '../database/sqlite/dialect.js';
import { ApiError } from '../protocol/api-error.js';
import { nextAccount } from '../accounts/account-checks.store.js';
import { type DatabaseContext, EXIT, type Shell } from './shell.js';
import { examineAccount, examineStrays, type Problem } from './doctor/examine.js';
import { examineSchema } from './doctor/schema.js';
import { addUserOptions, namesUser, requireOneUser, type UserOptions, userOf, whoseOf } from './user-options.js';

interface Options {
  repair?: boolean;
  dryRun?: boolean;
}

export function addDoctor(commands: Command, shell: Shell): void {
  const command = commands
    .command('doctor')
    .summary('Check the data of all users, and repair it')
    .description(
      `Checks that tables, columns and indexes match the migrations, and for each user: the clock is a time at or after every timestamp, the count of articles is right, tombstones have no content, no value is missing, of another type or out of range, every article's URL has the right hash, which keeps URLs unique. The service may run meanwhile. The last line says what to do next.

An intact backup that was restored has nothing wrong in it, but is older than what devices know: run "advance-clocks" after restoring one.`,
    );
  addUserOptions(command)
    .option('--repair', 'advance the clocks and correct the counts of articles; everything else is left to you')
    .option('--dry-run', 'write nothing, even with --repair')
    .action(({ repair = false, dryRun = false, ...user }: Options & UserOptions) => {
      if (namesUser(user)) requireOneUser(user);
      const mayRepair = repair && !dryRun;
      return shell.withDatabase((context) => {
        if (mayRepair) context.audit('doctor --repair', whoseOf(user));
        return examine(context, mayRepair, user);
      });
    });
}

/** Examines all users or the one that is named; prints the problems. Resolves with the exit code. */
export async function examine(context: DatabaseContext, repair: boolean, user: UserOptions = {}): Promise<number> {
  const damage = await damageOf(context);
  if (damage) {
    await context.print(`the database file is corrupt (${damage}): ${CORRUPT_ADVICE}`);
    return EXIT.attention;
  }
  const tally: Tally = { repair, users: 0, found: 0, left: 0, repairable: 0 };
  const couldExamine = await examineAll(context, tally, user);
  const { users, found, left } = tally;
  await context.print(`${users} users examined, ${found} problems found, ${found - left} repaired`);
  await context.print(`next: ${couldExamine ? nextStep(tally) : `${nextStep(tally)}; no user could be examined`}`);
  return left > 0 ? EXIT.attention : EXIT.ok;
}

/** The number of problems found so far, of those that are left, and of those that --repair would fix. */
interface Tally {
  repair: boolean;
  users: number;
  found: number;
  left: number;
  repairable: number;
}

/** What the operator should do next. */
function nextStep({ found, left, repairable }: Tally): string {
  if (found === 0) return 'nothing to do';
  if (left === 0) return 'nothing to do; devices learn what was repaired when they poll';
  if (repairable === left) return 'run it again with --repair';
  const byHand = 'do what the lines above say, then run doctor again';
  return repairable > 0 ? `run it again with --repair; for the rest ${byHand}` : byHand;
}

/** Examines the schema, then stray rows, then the users; false when the schema differs too much for that. */
async function examineAll(context: DatabaseContext, tally: Tally, user: UserOptions): Promise<boolean> {
  const ofSchema = await examineSchema(context.database);
  await reportAndRepair(context, tally, 'all users', ofSchema);
  if (ofSchema.some(({ isBlocking }) => isBlocking)) return false;
  if (!namesUser(user)) await reportAndRepair(context, tally, 'no user', await examineStrays(context.database));
  const { database, clock } = context;
  for await (const account of accountsOf(context, user)) {
    await reportAndRepair(context, tally, account.toString('hex'), await examineAccount(database, account, clock));
    context.progress(`${++tally.users} users so far, ${tally.found} problems`);
  }
  return true;
}

/** The file is intact but a row violates a constraint; the examination of users reports it. */
const IS_ABOUT_VALUES = /^(CHECK constraint failed|NULL value) in /;

/** The corruption that SQLite finds in its file, after which nothing in it can be trusted. Reads the whole file. */
async function damageOf({ database }: DatabaseContext): Promise<string | undefined> {
  if (!database.dialect.isLocal) return undefined;
  try {
    const found = await database.onSession((session) => session.rows('PRAGMA quick_check(100)', []));
    const texts = found.map((row) => String(row.quick_check).split('\n').at(-1)!);
    return texts.find((text) => text !== 'ok' && !IS_ABOUT_VALUES.test(text));
  } catch (error) {
    const cause = error instanceof ApiError ? error.cause : error;
    if (isCorrupt(cause)) return (cause as Error).message;
    throw error;
  }
}

async function* accountsOf(context: DatabaseContext, user: UserOptions): AsyncGenerator<Buffer> {
  if (namesUser(user)) {
    yield await userOf(context, user);
    return;
  }
  for (let after: Buffer | undefined = Buffer.alloc(0); ;) {
    const from: Buffer = after;
    after = await context.database.onSession((session) => nextAccount(session, from));
    if (!after) return;
    yield after;
  }
}

/** Prints each problem and what was done about it. */
async function reportAndRepair({ print }: DatabaseContext, tally: Tally, who: string, problems: Problem[]) {
  for (const { text, advice, repair } of problems) {
    const isRepaired = repair !== undefined && tally.repair;
    if (isRepaired) await repair();
    await print(`${who}: ${text}: ${isRepaired ? 'repaired' : advice}`);
    tally.found++;
    if (isRepaired) continue;
    tally.left++;
    if (repair) tally.repairable++;
  }
}
