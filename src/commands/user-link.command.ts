import { committed, type Witness } from '../database/outcome.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { addToLiveCount, eraseAccount, findAccount, moveAccount, raiseTimestamps } from '../accounts/accounts.store.js';
import { hasItems, moveItems } from '../articles/store/transfer.store.js';
import { accountKey } from '../auth/caller.js';
import { LOCAL_ISSUER } from '../auth/tokens/personal-token.js';
import { REVOCATION_MS } from '../auth/tokens/personal-tokens.js';
import { deleteTokens } from '../auth/tokens/personal-tokens.store.js';
import type { Session } from '../database/session.js';
import { type Arguments, type Command, CommandError, type CommandContext, EXIT, UsageError } from './command.js';
import { userOperand } from './token-options.js';
import { issuerOf } from './user-options.js';

/** How long instances may accept a revoked token and complete requests with it. */
const UNTIL_REVOKED_MS = REVOCATION_MS + 2_000;

/** Moves the list of a user with personal tokens to a user of the identity provider. */
export const userLinkCommand: Command = {
  name: 'user link',
  summary: 'Give the list of a user of personal tokens to a user of the provider',
  help: `USER --subject SUBJECT [--issuer URL] [--dry-run]

Moves all articles and tombstones of USER, with ids and timestamps, in one transaction. USER's tokens are revoked first: the
devices sign in at the provider from then on, and continue where they were. Refused if that user already has records; import
them with "user export" and "user import" instead.

  --subject SUBJECT  the user's subject at the identity provider; --issuer URL when that is not OAUTH_URI
  --dry-run          only say what there is

Exit codes: 0 done, 1 failed or refused, 2 wrong usage`,
  options: { subject: { type: 'string' }, issuer: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  takesOperands: true,
  checkUsage(given) {
    userOperand(given);
    subjectOption(given);
  },
  needsDatabase: true,
  async run(context) {
    const { database, options, print, progress } = context;
    const user = userOperand(context);
    const [from, to] = keysOf(context, user);
    const found = await database.onSession(async (session) => requireMovable(session, user, from, to));
    const what = `${found.live_count} articles and all tombstones of ${user}`;
    if (options['dry-run']) {
      await print(`would move ${what} to ${to.toString('hex')}`);
      return EXIT.ok;
    }
    const revoked = await deleteTokens(database, user);
    progress(`revoked ${revoked} tokens; moving in a moment`);
    if (revoked > 0) await sleep(UNTIL_REVOKED_MS);
    const moved = await database.inTransaction(async (transaction) =>
      committed(await move(transaction, user, from, to), hasMoved(from)),
    );
    await print(
      `moved ${moved} articles and tombstones of ${user} to ${to.toString('hex')}; ${revoked} tokens revoked`,
    );
    return EXIT.ok;
  },
};

function subjectOption({ options }: Arguments): string {
  if (!options.subject) throw new UsageError('--subject: name the user of the identity provider.');
  return options.subject as string;
}

function keysOf(context: CommandContext, user: string): [from: Buffer, to: Buffer] {
  const { settings } = context;
  const subject = subjectOption(context);
  const keyOf = (...identity: string[]) => accountKey(settings.userIdSecret, 'bearer', identity);
  return [keyOf(LOCAL_ISSUER, user), keyOf(issuerOf(context), subject)];
}

async function requireMovable(session: Session, user: string, from: Buffer, to: Buffer) {
  const account = await findAccount(session, from);
  if (!account) throw new CommandError(`${user} has stored nothing yet; there is nothing to move`);
  if (await hasItems(session, to))
    throw new CommandError('The user of the provider has records already: nothing was changed');
  return account;
}

/** Devices that have seen an empty list under the new key, or the old list at a later time, are told to start over. */
async function move(transaction: Session, user: string, from: Buffer, to: Buffer): Promise<number> {
  // In key order, to avoid deadlocks.
  for (const account of [from, to].sort((one, other) => one.compare(other)))
    await addToLiveCount(transaction, account, 0);
  await requireMovable(transaction, user, from, to);
  const empty = await findAccount(transaction, to);
  await eraseAccount(transaction, to);
  if (empty) await raiseTimestamps(transaction, from, empty.last_modified + 2, empty.last_modified + 1);
  await moveAccount(transaction, from, to);
  return moveItems(transaction, from, to);
}

/** Tells whether the account was moved when the reply to COMMIT is lost. */
const hasMoved =
  (from: Buffer): Witness =>
  async (transaction) => {
    await addToLiveCount(transaction, from, 0);
    return (await findAccount(transaction, from)) === undefined;
  };
