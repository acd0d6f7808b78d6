import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { committed } from '../database/transaction.js';
import { eraseAccount, findAccount, lockCollection, moveAccount, raiseTimestamps } from '../accounts/accounts.store.js';
import { hasItems, moveItems } from '../articles/store/transfer.store.js';
import { LOCAL_ISSUER, REVOCATION_MS } from '../auth/tokens/personal-tokens.js';
import { deleteTokens } from '../auth/tokens/personal-tokens.store.js';
import type { Session } from '../database/session.js';
import { CommandError, counted, type DatabaseContext, type Shell } from './shell.js';
import { bearerKey, issuerOf, readIssuer, readName, readSubject, requireProvisioned } from './user-options.js';

/** How long instances may accept a revoked token and complete requests with it. */
const UNTIL_REVOKED_MS = REVOCATION_MS + 2_000;

type Options = { subject: string; issuer?: string; dryRun?: boolean };

export function addUserLink(commands: Command, shell: Shell): void {
  commands
    .command('link')
    .summary('Move the list of a user with personal tokens to a user of the provider')
    .description(
      `Moves all articles and tombstones of the user, with ids and timestamps, in one transaction. The user's tokens are revoked first: the devices sign in at the provider from then on, and continue where they were. Refused if either user is deprovisioned, or if the user of the provider already has records; import them with "user export" and "user import" instead.`,
    )
    .argument('<user>', 'the user with personal tokens', readName)
    .requiredOption('--subject <subject>', "the user's subject at the identity provider", readSubject)
    .option('--issuer <url>', 'the identity provider, when that is not OAUTH_URI', readIssuer)
    .option('--dry-run', 'only say what would be moved')
    .action((user: string, options: Options) => shell.withDatabase((context) => link(context, user, options)));
}

async function link(context: DatabaseContext, user: string, { subject, issuer, dryRun }: Options): Promise<void> {
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
  // Also without any: they may have been revoked a moment ago.
  await sleep(UNTIL_REVOKED_MS);
  const isMoved = async (transaction: Session) => (await lockCollection(transaction, from)) === undefined;
  const moved = await database.inTransaction(async (transaction) =>
    committed(await move(transaction, user, from, to), isMoved),
  );
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
      'The user of the provider has records already: nothing was changed. Export the list and import it for that user; ' +
        'erasing theirs instead would go unnoticed by its devices',
    );
  return account;
}

/** Devices that have seen an empty list under the new key, or the old list at a later time, are told to start over. */
async function move(transaction: Session, user: string, from: Buffer, to: Buffer): Promise<number> {
  // In key order, to avoid deadlocks.
  for (const account of [from, to].sort((one, other) => one.compare(other))) await lockCollection(transaction, account);
  await requireMovable(transaction, user, from, to);
  const empty = await findAccount(transaction, to);
  await eraseAccount(transaction, to);
  if (empty) await raiseTimestamps(transaction, from, empty.last_modified + 2, empty.last_modified + 1);
  await moveAccount(transaction, from, to);
  return moveItems(transaction, from, to);
}
