import type { Command } from 'commander';
import { CORRUPT_ADVICE } from '../database/why-not-open.js';
import { everyAccount } from '../accounts/accounts.store.js';
import { counted, type DatabaseContext, EXIT, type Shell } from './shell.js';
import { examineAccount, examineSchema, examineTokens, type Problem } from './doctor/examine.js';
import { keysAfter } from './doctor/records.store.js';
import { addUserOptions, keyFor, namedUser, type NamedUser, requireAccount, type UserOptions } from './user-options.js';

export const addDoctor = (commands: Command, shell: Shell): Command =>
  addUserOptions(commands.command('doctor'))
    .summary('Check the data of all users, and repair it')
    .description(
      `Checks that tables, columns and indexes match the migrations. For each user, it checks that the clock is at or after every timestamp, that the count of articles is right, that tombstones have no content, that no value is missing, out of range or of the wrong type, and that every URL has the right hash, which keeps URLs unique. The service can keep running. The last line says what to do next.

A restored backup may be intact and yet older than what devices know: run "advance-clocks" after restoring one.`,
    )
    .option('--repair', 'advance the clocks and correct the counts of articles; everything else is left to you')
    .option('--dry-run', 'write nothing, even with --repair')
    .action((options: UserOptions & { repair?: boolean; dryRun?: boolean }) => {
      const user = namedUser(options);
      const mayRepair = Boolean(options.repair) && !options.dryRun;
      return shell.withDatabase((context) => {
        if (mayRepair) context.audit('doctor --repair', user?.name ?? 'all users');
        return examine(context, mayRepair, user);
      });
    });

/** Examines all users or the one that is named, and prints the problems. Resolves with the exit code. */
export async function examine(context: DatabaseContext, mayRepair: boolean, user?: NamedUser): Promise<number> {
  const { database, now, print, progress } = context;
  const damage = await damageOf(context);
  if (damage) {
    await print(`the database file is corrupt (${damage}): ${CORRUPT_ADVICE}`);
    return EXIT.attention;
  }
  let [users, found, repairable] = [0, 0, 0];
  const report = async (who: string, problems: Problem[]) => {
    for (const { text, advice, repair } of problems) {
      if (mayRepair) await repair?.();
      await print(`${who}: ${text}: ${mayRepair && repair ? 'repaired' : advice}`);
      found++;
      if (repair) repairable++;
    }
  };
  const ofSchema = await examineSchema(database);
  await report('all users', ofSchema);
  const isBlocked = ofSchema.some(({ isBlocking }) => isBlocking);
  if (!isBlocked) {
    if (!user) await report('tokens', await examineTokens(database));
    const key = user && (await keyFor(context, user));
    for await (const { account } of key ? [{ account: key }] : everyAccount(database, keysAfter)) {
      await report(account.toString('hex'), await examineAccount(database, account, now));
      progress(`${counted(++users, 'user')} so far, ${counted(found, 'problem')}`);
    }
    if (key && found === 0) await requireAccount(context, user, key);
  }
  const repaired = mayRepair ? repairable : 0;
  await print(`${counted(users, 'user')} examined, ${counted(found, 'problem')} found, ${repaired} repaired`);
  await print(`next: ${nextStep(found, repaired, repairable)}${isBlocked ? '; no user could be examined' : ''}`);
  return found > repaired ? EXIT.attention : EXIT.ok;
}

function nextStep(found: number, repaired: number, repairable: number): string {
  if (found === 0) return 'nothing to do';
  if (found === repaired) return 'nothing to do; devices learn what was repaired when they poll';
  const steps: string[] = [];
  if (repairable > repaired) steps.push('run it again with --repair');
  if (found > repairable) steps.push('do what the lines above say, then run doctor again');
  return steps.join('; for the rest ');
}

/** Corruption of SQLite's file, after which nothing in it can be trusted. */
async function damageOf({ database }: DatabaseContext): Promise<string | undefined> {
  if (!database.dialect.isLocal) return undefined;
  try {
    const found = await database.onSession((session) => session.rows('PRAGMA quick_check(100)', []));
    const texts = found.map((row) => String(row.quick_check).split('\n').at(-1)!);
    // A row that violates a constraint is not corruption; the examination of users reports it.
    return texts.find((text) => text !== 'ok' && !/^(CHECK constraint failed|NULL value) in /.test(text));
  } catch (error) {
    if (database.health.damage) return database.health.damage;
    throw error;
  }
}
