import { ReadError } from '@reading-list/formats';
import { findAccount } from '../../accounts/accounts.store.js';
import { CommandError, type DatabaseContext } from '../shell.js';
import { namesUser, type UserOptions, userOf, whoseOf } from '../user-options.js';
import { readOwnLines, refusal } from './own-lines.js';
import {
  type AccountState,
  addArticles,
  CHUNK,
  type Destination,
  destinationOf,
  ImportCounts,
  type ImportOptions,
  isArticle,
  type Item,
  restoreItems,
  type Stored,
} from './store-items.js';

/**
 * Imports the output of `user export` into the account that the options name, otherwise into the file's own. Resolves
 * with the exit code.
 */
export async function importOwnLines(
  context: DatabaseContext,
  { dryRun = false }: ImportOptions,
  user: UserOptions,
  lines: AsyncIterable<string>,
): Promise<number> {
  const named = namesUser(user) ? await userOf(context, user) : undefined;
  context.audit(`user import${dryRun ? ' --dry-run' : ''}`, named ? whoseOf(user) : 'users in the file', named);
  const counts = new ImportCounts(dryRun);
  let [users, read] = [0, 0];
  let items: Item[] = [];
  /** By account: a file may hold one twice, whose first part a dry run has not stored. */
  const destinations = new Map<string, Destination>();
  let store: ((items: Item[]) => Promise<Stored>) | undefined;
  /** Also without items, as an account may have none. */
  const storeItems = async () => {
    if (!store) return;
    counts.add(items, await store(items));
    read += items.length;
    items = [];
    context.progress(`${read} articles and tombstones of ${users} users so far`);
  };
  try {
    for await (const line of readOwnLines(lines)) {
      if ('account' in line) {
        if (store && named) throw refusal(line.line, 'another user; leave out the user to import them all');
        await storeItems();
        users++;
        const account = named ?? Buffer.from(line.account, 'hex');
        const destination = destinations.get(line.account) ?? destinationOf(context, dryRun, account);
        destinations.set(line.account, destination);
        store = await storeOf(context, destination, line.state);
      } else if (items.push(line.item) >= CHUNK) await storeItems();
    }
    await storeItems();
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const done = `${counts.stored} articles and tombstones were imported before`;
    throw new CommandError(
      `${error.message}; ${dryRun ? 'nothing was imported' : done}, and the import can be repeated`,
    );
  }
  return counts.print(context, `articles and tombstones of ${users} users`);
}

/**
 * Restores an exported account with its timestamps if it has not changed since. Otherwise missing articles are added as
 * new changes, because devices would not see old ones.
 */
async function storeOf(context: DatabaseContext, destination: Destination, state: AccountState) {
  const { account, rehearsed } = destination;
  const present = await context.database.onSession((session) => findAccount(session, account));
  if (Math.max(present?.last_modified ?? 0, rehearsed?.clock ?? 0) <= state.last_modified)
    return (items: Item[]): Promise<Stored> => restoreItems(destination, state, items);
  return (items: Item[]): Promise<Stored> => addArticles(destination, items.filter(isArticle), context.clock());
}
