import { ReadError } from '@reading-list/formats';
import { CommandError } from '../shell.js';
import { keyOf, type NamedUser } from '../user-options.js';
import { destinationOf, type ImportContext } from './import-context.js';
import { readOwnLines, refusal } from './own-lines.js';
import {
  type AccountState,
  CHUNK,
  completeAccount,
  type Destination,
  ImportCounts,
  type Item,
  storeItems,
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
  /** By account: a file may hold one twice. */
  const destinations = new Map<string, Destination>();
  let current: { destination: Destination; state: AccountState } | undefined;
  const store = async () => {
    if (!current) return;
    counts.add(items, await storeItems(current.destination, items, context.now()));
    read += items.length;
    items = [];
    context.progress(`${read} articles and tombstones of ${users} users so far`);
  };
  /** Also without items, as an account may have none. */
  const complete = async () => {
    await store();
    if (current) await completeAccount(current.destination, current.state);
  };
  try {
    for await (const line of readOwnLines(lines)) {
      if ('account' in line) {
        if (current && named) throw refusal(line.line, 'another user; leave out the user to import them all');
        await complete();
        users++;
        const account = named ?? Buffer.from(line.account, 'hex');
        // Devices that have not seen what was purged start over.
        const added = { last_modified: 0, purged_until: line.state.purged_until };
        const destination = destinations.get(line.account) ?? (await destinationOf(context, account, added));
        destinations.set(line.account, destination);
        current = { destination, state: line.state };
      } else if (items.push(line.item) >= CHUNK) await store();
    }
    await complete();
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const done = `${counts.stored} articles and tombstones were imported before`;
    throw new CommandError(
      `${error.message}; ${dryRun ? 'nothing was imported' : done}, and the import can be repeated`,
    );
  }
  return counts.print(context, `articles and tombstones of ${users} users`);
}
