import { ReadError } from '@reading-list/formats';
import { findAccount } from '../../accounts/accounts.store.js';
import { CommandError } from '../shell.js';
import { keyOf, type NamedUser } from '../user-options.js';
import { destinationOf, type ImportContext } from './import-context.js';
import { readOwnLines, refusal } from './own-lines.js';
import {
  type AccountState,
  addArticles,
  CHUNK,
  type Destination,
  ImportCounts,
  isArticle,
  type Item,
  restoreItems,
  type Stored,
} from './store-items.js';

/**
 * Imports the output of `user export` into the account of the user, without one into the file's own. Resolves
 * with the exit code.
 */
export async function importOwnLines(
  context: ImportContext,
  user: NamedUser | undefined,
  lines: AsyncIterable<string>,
): Promise<number> {
  const dryRun = context.original !== undefined;
  const named = user && (await keyOf(context, user));
  context.audit(`user import${dryRun ? ' --dry-run' : ''}`, user?.name ?? 'users in the file', named);
  const counts = new ImportCounts(dryRun);
  let [users, read] = [0, 0];
  let items: Item[] = [];
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
        store = await storeOf(context, await destinationOf(context, account), line.state);
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
async function storeOf({ clock }: ImportContext, destination: Destination, state: AccountState) {
  const { database, account } = destination;
  const present = await database.onSession((session) => findAccount(session, account));
  if ((present?.last_modified ?? 0) <= state.last_modified)
    return (items: Item[]): Promise<Stored> => restoreItems(destination, state, items);
  return (items: Item[]): Promise<Stored> => addArticles(destination, items.filter(isArticle), clock());
}
