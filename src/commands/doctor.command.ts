import type { Database } from '../database/database.js';
import { CORRUPT_ADVICE } from '../database/why-not-open.js';
import { isCorrupt } from '../database/sqlite/dialect.js';
import { ApiError } from '../protocol/api-error.js';
import { nextAccount } from '../accounts/account-checks.store.js';
import { highestClock } from '../accounts/accounts.store.js';
import { type Command, type CommandContext, EXIT, UsageError } from './command.js';
import { examineAccount } from './doctor/examine.js';
import { behindMark, readMark, writeMark } from './doctor/high-water.js';
import type { Problem } from './doctor/problem.js';
import { examineSchema } from './doctor/schema.js';
import { examineStrays } from './doctor/strays.js';
import { namesUser, USER_HELP, USER_OPTIONS, userOf } from './user-options.js';

/**
 * Looks for data that the service would never write and for clocks that went back; repairs what can be repaired safely.
 */
export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'Check the data of all users, and repair it',
  help: `[--key HEX | --subject SUBJECT | --local NAME | --basic NAME] [--repair] [--high-water FILE [--clocks-only]] [--dry-run]

Checks that tables, columns and indexes match the migrations, and for each user: the clock is a time at or after every
timestamp, the count of articles is right, tombstones have no content, no value is missing, of another type or out of range,
every article's URL has the right hash, which keeps URLs unique. The service may run meanwhile. The
last line says what to do next.

An intact backup that was restored has nothing wrong in it, but is older than what devices know. --high-water detects that until
devices are let in again: FILE keeps the highest clock of all users ever seen. The first run creates it, later ones
raise it unless the clocks are behind. Keep it where restoring the database does not bring back an older one.

${USER_HELP}
  --repair           repair what can be repaired: clocks are advanced, counts, hashes and tombstones corrected, invalid values
                     replaced by the field's default, which devices learn of, missing indexes created (minutes for a large table)
  --high-water FILE  compare the clocks of all users with the highest one ever seen
  --clocks-only      with --high-water: only compare the clocks, without examining users, which is quick
  --dry-run          write nothing, neither to the database nor to FILE

Exit codes: 0 all is well or was repaired, 1 failed, 2 wrong usage, 3 there are problems left`,
  options: {
    repair: { type: 'boolean' },
    'high-water': { type: 'string' },
    'clocks-only': { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    ...USER_OPTIONS,
  },
  checkUsage({ options }) {
    if (options['clocks-only'] && options['high-water'] === undefined)
      throw new UsageError('--clocks-only: name the --high-water FILE to compare them with.');
  },
  needsDatabase: true,
  async run(context) {
    const damage = await damageOf(context);
    if (damage) {
      await context.print(`the database file is corrupt (${damage}): ${CORRUPT_ADVICE}`);
      return EXIT.attention;
    }
    const tally: Tally = { users: 0, found: 0, left: 0, repairable: 0 };
    const behind = await examineClocks(context);
    if (behind) await reportAndRepair(context, tally, 'all users', [behind]);
    const couldExamine = await examineAll(context, tally);
    const { users, found, left } = tally;
    await context.print(`${users} users examined, ${found} problems found, ${found - left} repaired`);
    await context.print(`next: ${couldExamine ? nextStep(tally) : `${nextStep(tally)}; no user could be examined`}`);
    return left > 0 ? EXIT.attention : EXIT.ok;
  },
};

/** The number of problems found so far, of those that are left, and of those that --repair would fix. */
interface Tally {
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
async function examineAll(context: CommandContext, tally: Tally): Promise<boolean> {
  if (context.options['clocks-only']) return true;
  const ofSchema = await examineSchema(context.database);
  await reportAndRepair(context, tally, 'all users', ofSchema);
  if (ofSchema.some(({ isBlocking }) => isBlocking)) return false;
  if (!namesUser(context)) await reportAndRepair(context, tally, 'no user', await examineStrays(context.database));
  const { database, clock } = context;
  for await (const account of accountsOf(context)) {
    await reportAndRepair(context, tally, account.toString('hex'), await examineAccount({ database, account, clock }));
    context.progress(`${++tally.users} users so far, ${tally.found} problems`);
  }
  return true;
}

/** The file is intact but a row violates a constraint; the examination of users reports it. */
const IS_ABOUT_VALUES = /^(CHECK constraint failed|NULL value) in /;

/** The corruption that SQLite finds in its file, after which nothing in it can be trusted. Reads the whole file. */
async function damageOf({ database, options }: CommandContext): Promise<string | undefined> {
  if (!database.dialect.isLocal || options['clocks-only']) return undefined;
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

/** Compares the clocks with the high-water mark, if given, and raises it unless they are behind. */
async function examineClocks({ options, database, clock, print }: CommandContext): Promise<Problem | undefined> {
  const file = options['high-water'] as string | undefined;
  if (file === undefined) return undefined;
  const mark = await readMark(file);
  const now = clock();
  const highest = await database.onSession(highestClock);
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
    after = await context.database.onSession((session) => nextAccount(session, from));
    if (!after) return;
    yield after;
  }
}

/** Prints each problem and what was done about it. */
async function reportAndRepair(
  { database, options, print }: CommandContext,
  tally: Tally,
  who: string,
  problems: Problem[],
) {
  const mayRepair = Boolean(options.repair) && !options['dry-run'];
  for (const problem of problems) {
    const isRepaired = mayRepair && (await repair(database, problem));
    await print(`${who}: ${problem.text}: ${isRepaired ? 'repaired' : adviceFor(problem, mayRepair)}`);
    tally.found++;
    if (isRepaired) continue;
    tally.left++;
    if (problem.repair && !mayRepair) tally.repairable++;
  }
}

function adviceFor({ advice, repair: apply }: Problem, wasTried: boolean): string {
  if (apply && wasTried) return 'cannot be repaired, as two records need the same; delete one of them through the API';
  return advice ?? 'run with --repair';
}

/** False when there is no repair, or when two records turn out to need the same unique value. */
async function repair(database: Database, { repair: apply }: Problem): Promise<boolean> {
  if (!apply) return false;
  try {
    await apply();
    return true;
  } catch (error) {
    if (database.dialect.classify(driverError(error)) === 'duplicate') return false;
    throw error;
  }
}

/** TypeORM wraps the driver's error. */
const driverError = (error: unknown): unknown => (error as { driverError?: unknown }).driverError ?? error;
