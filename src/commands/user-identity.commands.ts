import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  deprovision,
  eraseAccount,
  findAccount,
  lastModifiedOf,
  lockCollection,
  moveAccount,
  raiseTimestamps,
  readmit,
} from '../accounts/accounts.store.js';
import { hasItems, moveItems } from '../articles/store/transfer.store.js';
import { LOCAL_ISSUER, REVOCATION_MS } from '../auth/tokens/personal-tokens.js';
import { deleteTokens } from '../auth/tokens/personal-tokens.store.js';
import { committed, type Session } from '../database/session.js';
import { CommandError, counted, type DatabaseContext, type Shell } from './shell.js';
import { bearerKey, issuerOf, readIssuer, readName, readSubject, requireProvisioned } from './user-options.js';

export function addUserDeprovision(commands: Command, shell: Shell): void {
  const undo = new Option('--undo', 'accept tokens again, and do not erase; personal tokens have to be created again');
  commands
    .command('deprovision')
    .summary('Refuse all tokens of a user, and erase the list later')
    .description(
      `For a user who leaves. Within a few seconds every instance refuses the identity provider's tokens of this subject, however long they are valid, and the personal tokens of the user with this name are revoked. The list stays, unless --erase-after says when the service erases it; the tokens are refused after that, too. Repeat the command to set another time, or none.`,
    )
    .argument('<subject>', "the user's subject at the provider, also the name with personal tokens", readSubject)
    .option('--issuer <url>', 'the identity provider, when that is not OAUTH_URI', readIssuer)
    .option('--erase-after <days>', 'erase the list after this number of days; 0: within about an hour', readDays)
    .addOption(undo.conflicts('eraseAfter'))
    .action((subject: string, options: { issuer?: string; eraseAfter?: number; undo?: boolean }) =>
      shell.withDatabase((context) => {
        const { issuer = context.settings.oauthUri } = options;
        const issuers = [LOCAL_ISSUER, ...(issuer ? [issuerOf(context, issuer)] : [])];
        const accounts = issuers.map((each) => bearerKey(context, each, subject));
        if (options.undo) return readmitUser(context, subject, accounts);
        return deprovisionUser(context, subject, accounts, options.eraseAfter);
      }),
    );
}

function readDays(text: string): number {
  const days = /^\d{1,5}$/.test(text) ? Number(text) : Infinity;
  if (days > 36_500) throw new InvalidArgumentError('Expected a number of days, 0 to 36500.');
  return days;
}

async function deprovisionUser(context: DatabaseContext, subject: string, accounts: Buffer[], days?: number) {
  const { database, now, print, audit } = context;
  audit(`user deprovision${days === undefined ? '' : ` --erase-after ${days}`}`, subject, accounts.at(-1));
  const since = now();
  // Instances may accept tokens, and complete requests with them, for another ten seconds.
  const erase_on = days === undefined ? null : since + Math.max(days * 86_400_000, 10_000);
  const users = accounts.map((account) => ({ account, since, erase_on }));
  await database.inTransaction(async (transaction) => committed(await deprovision(transaction, users)));
  const lists = await database.onSession((session) => lastModifiedOf(session, accounts));
  const revoked = await deleteTokens(database, subject);
  const kept = erase_on === null ? 'the list is kept' : `the list is erased after ${new Date(erase_on).toISOString()}`;
  const until = lists.size > 0 ? kept : 'this subject has no list; check the spelling if it should have one';
  const tokens = counted(revoked, 'personal token');
  await print(`deprovisioned ${subject}: all tokens are refused, ${tokens} revoked; ${until}`);
}

async function readmitUser({ database, print, audit }: DatabaseContext, subject: string, accounts: Buffer[]) {
  audit('user deprovision --undo', subject, accounts.at(-1));
  if ((await readmit(database, accounts)) === 0) throw new CommandError(`${subject} is not deprovisioned`);
  await print(`the identity provider's tokens of ${subject} are accepted again; create new personal tokens if needed`);
}

type LinkOptions = { subject: string; issuer?: string; dryRun?: boolean };

export const addUserLink = (commands: Command, shell: Shell): Command =>
  commands
    .command('link')
    .summary('Move the list of a user with personal tokens to a user of the provider')
    .description(
      `Moves all articles and tombstones of the user, with ids and timestamps, in one transaction. The user's tokens are revoked first: the devices sign in at the provider from then on, and continue where they were. Refused if either user is deprovisioned, or if the user of the provider already has records: then "user export" the list and "user import" it for that user.`,
    )
    .argument('<user>', 'the user with personal tokens', readName)
    .requiredOption('--subject <subject>', "the user's subject at the identity provider", readSubject)
    .option('--issuer <url>', 'the identity provider, when that is not OAUTH_URI', readIssuer)
    .option('--dry-run', 'only say what would be moved')
    .action((user: string, options: LinkOptions) => shell.withDatabase((context) => link(context, user, options)));

async function link(context: DatabaseContext, user: string, { subject, issuer, dryRun }: LinkOptions): Promise<void> {
  const { database, print, progress } = context;
  const from = bearerKey(context, LOCAL_ISSUER, user);
  const to = bearerKey(context, issuerOf(context, issuer), subject);
  const { live_count } = await database.onSession((session) => requireMovable(session, user, from, to));
  context.audit(`user link --subject ${subject}${dryRun ? ' --dry-run' : ''}`, user, from);
  const key = to.toString('hex');
  if (dryRun)
    return void (await print(`would move ${counted(live_count, 'article')} and all tombstones of ${user} to ${key}`));
  const revoked = await deleteTokens(database, user);
  progress(`revoked ${counted(revoked, 'token')}; moving in a moment`);
  // Until no instance accepts them. Also without any: they may have been revoked a moment ago.
  await sleep(REVOCATION_MS + 2_000);
  const moved = await database.inTransaction((transaction) => move(transaction, user, from, to));
  await print(`moved ${moved} articles and tombstones of ${user} to ${key}; ${counted(revoked, 'token')} revoked`);
}

async function requireMovable(session: Session, user: string, from: Buffer, to: Buffer) {
  const account = await findAccount(session, from);
  if (!account) throw new CommandError(`${user} has no list: nothing was stored yet, or it was moved or erased`);
  // The list would not be erased when it is time, or its new user could not sign in.
  await requireProvisioned(session, user, from);
  await requireProvisioned(session, 'The user of the provider', to);
  if (await hasItems(session, to))
    throw new CommandError(
      'The user of the provider has records already: nothing was changed. Export the list and import it for that user; do not erase that list first, as its devices would not notice',
    );
  return account;
}

/** Devices that have seen an empty list under the new key, or the old list at a later time, are told to start over. */
async function move(transaction: Session, user: string, from: Buffer, to: Buffer) {
  // In key order, to avoid deadlocks.
  for (const account of [from, to].sort((one, other) => one.compare(other))) await lockCollection(transaction, account);
  await requireMovable(transaction, user, from, to);
  const empty = await findAccount(transaction, to);
  await eraseAccount(transaction, to);
  if (empty) await raiseTimestamps(transaction, from, empty.last_modified + 2, empty.last_modified + 1);
  await moveAccount(transaction, from, to);
  const isMoved = async (session: Session) => (await lockCollection(session, from)) === undefined;
  return committed(await moveItems(transaction, from, to), isMoved);
}
