import { ReadError } from '@reading-list/formats';
import { findAccount } from '../../accounts/accounts.store.js';
import { CommandError, type DatabaseContext, EXIT } from '../command.js';
import { namesUser, type UserOptions, userOf, whoseOf } from '../user-options.js';
import {
  CHUNK,
  count,
  destinationOf,
  type ImportOptions,
  isArticle,
  noneYet,
  printOverQuota,
} from './import-options.js';
import { type AccountState, type Item, type OwnLine, readOwnLines, refusal, type TextChunks } from './own-lines.js';
import { addArticles, restoreItems, type Stored } from './store-items.js';

/**
 * Imports the output of `user export` into the account that the options name, otherwise into the file's own. Resolves
 * with the exit code.
 */
export async function importOwnLines(
  context: DatabaseContext,
  { dryRun = false }: ImportOptions,
  user: UserOptions,
  text: TextChunks,
): Promise<number> {
  const named = namesUser(user) ? await userOf(context, user) : undefined;
  context.audit(`user import${dryRun ? ' --dry-run' : ''}`, named ? whoseOf(user) : 'users in the file', named);
  const counts = noneYet();
  let [users, items] = [0, 0];
  try {
    let store: (items: Item[]) => Promise<Stored>;
    for await (const chunk of chunksOf(readOwnLines(text), named !== undefined)) {
      if (chunk.isFirst) {
        users++;
        store = await storeOf(context, dryRun, named ?? Buffer.from(chunk.account, 'hex'), chunk.state);
      }
      count(counts, chunk.items, await store!(chunk.items));
      items += chunk.items.length;
      context.progress(`${items} articles and tombstones of ${users} users so far`);
    }
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const done = `${counts.stored} articles and tombstones were imported before`;
    throw new CommandError(
      `${error.message}; ${dryRun ? 'nothing was imported' : done}, and the import can be repeated`,
    );
  }
  const [done, were] = dryRun ? ['would import', 'are'] : ['imported', 'were'];
  await context.print(
    `${done} ${counts.stored} articles and tombstones of ${users} users, ${counts.known} ${were} there`,
  );
  return (await printOverQuota(context, counts)) ? EXIT.attention : EXIT.ok;
}

/** Some items of an account. An account has at least one chunk. */
interface Chunk {
  account: string;
  state: AccountState;
  items: Item[];
  isFirst: boolean;
}

/** @param isOneUser whether the lines may be of one user only */
async function* chunksOf(lines: AsyncIterable<OwnLine>, isOneUser: boolean): AsyncGenerator<Chunk> {
  let chunk: Chunk | undefined;
  for await (const line of lines) {
    if ('account' in line) {
      if (chunk && isOneUser) throw refusal(line.line, 'another user; leave out the user to import them all');
      if (chunk) yield chunk;
      chunk = { ...line, items: [], isFirst: true };
    } else if (chunk && chunk.items.push(line.item) >= CHUNK) {
      yield chunk;
      chunk = { ...chunk, items: [], isFirst: false };
    }
  }
  if (chunk) yield chunk;
}

/**
 * Restores an exported account with its timestamps if it has not changed since. Otherwise missing articles are added as
 * new changes, because devices would not see old ones.
 */
async function storeOf(context: DatabaseContext, dryRun: boolean, account: Buffer, state: AccountState) {
  const present = await context.database.onSession((session) => findAccount(session, account));
  const destination = destinationOf(context, dryRun, account);
  return (items: Item[]): Promise<Stored> =>
    present && present.last_modified > state.last_modified
      ? addArticles(destination, items.filter(isArticle), context.clock())
      : restoreItems(destination, state, items);
}
