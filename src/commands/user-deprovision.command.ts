import { type Command, InvalidArgumentError, Option } from 'commander';
import { findAccount } from '../accounts/accounts.store.js';
import { deprovision, readmit } from '../accounts/deprovisioned.store.js';
import { LOCAL_ISSUER } from '../auth/tokens/personal-tokens.js';
import { deleteTokens } from '../auth/tokens/personal-tokens.store.js';
import { committed } from '../database/transaction.js';
import { CommandError, counted, type DatabaseContext, type Shell } from './shell.js';
import { bearerKey, issuerOf, readIssuer, readSubject } from './user-options.js';

const DAY_MS = 86_400_000;
const MAX_DAYS = 36_500;
/** How long instances may accept tokens and complete requests with them. */
const UNTIL_REFUSED_MS = 10_000;

export function addUserDeprovision(commands: Command, shell: Shell): void {
  commands
    .command('deprovision')
    .summary('Refuse all tokens of a user, and erase the list later')
    .description(
      `For a user who leaves. Within a few seconds every instance refuses the identity provider's tokens of this subject, however long they are valid, and the personal tokens of the user with this name are revoked. The list stays, unless --erase-after says when the service erases it; the tokens are refused after that, too. Repeat the command to set another time, or none.`,
    )
    .argument('<subject>', "the user's subject at the identity provider, and name with personal tokens", readSubject)
    .option('--issuer <url>', 'the identity provider, when that is not OAUTH_URI', readIssuer)
    .option('--erase-after <days>', 'erase the list after this number of days; 0: within about an hour', readDays)
    .addOption(
      new Option('--undo', 'accept tokens again, and do not erase; personal tokens have to be created again').conflicts(
        'eraseAfter',
      ),
    )
    .action((subject: string, options: { issuer?: string; eraseAfter?: number; undo?: boolean }) =>
      shell.withDatabase((context) => {
        const { issuer = context.settings.oauthUri } = options;
        const issuers = [LOCAL_ISSUER, ...(issuer ? [issuerOf(context, issuer)] : [])];
        const accounts = issuers.map((each) => bearerKey(context, each, subject));
        return options.undo ? undo(context, subject, accounts) : end(context, subject, accounts, options.eraseAfter);
      }),
    );
}

function readDays(text: string): number {
  const days = /^\d{1,5}$/.test(text) ? Number(text) : Infinity;
  if (days > MAX_DAYS) throw new InvalidArgumentError(`Expected a number of days, 0 to ${MAX_DAYS}.`);
  return days;
}

async function end(context: DatabaseContext, subject: string, accounts: Buffer[], days?: number): Promise<void> {
  const { database, now, print, audit } = context;
  audit(`user deprovision${days === undefined ? '' : ` --erase-after ${days}`}`, subject, accounts.at(-1));
  const since = now();
  const erase_on = days === undefined ? null : since + Math.max(days * DAY_MS, UNTIL_REFUSED_MS);
  const users = accounts.map((account) => ({ account, since, erase_on }));
  await database.inTransaction(async (transaction) => committed(await deprovision(transaction, users)));
  const found = await database.onSession(async (session) => {
    for (const account of accounts) if (await findAccount(session, account)) return true;
    return false;
  });
  const revoked = await deleteTokens(database, subject);
  const kept = erase_on === null ? 'the list is kept' : `the list is erased after ${new Date(erase_on).toISOString()}`;
  const until = found ? kept : 'this subject has no list; check the spelling if it should have one';
  await print(
    `deprovisioned ${subject}: all tokens are refused, ${counted(revoked, 'personal token')} revoked; ${until}`,
  );
}

async function undo({ database, print, audit }: DatabaseContext, subject: string, accounts: Buffer[]): Promise<void> {
  audit('user deprovision --undo', subject, accounts.at(-1));
  let readmitted = 0;
  await database.inTransaction(async (transaction) => {
    // A repetition after a lost reply to COMMIT may find them gone.
    readmitted = Math.max(readmitted, await readmit(transaction, accounts));
    return committed(undefined);
  });
  if (readmitted === 0) throw new CommandError(`${subject} is not deprovisioned`);
  await print(`the identity provider's tokens of ${subject} are accepted again; create new personal tokens if needed`);
}
