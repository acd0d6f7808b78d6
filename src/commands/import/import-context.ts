import { addAccount, findAccount } from '../../accounts/accounts.store.js';
import type { Database } from '../../database/database.js';
import { committed } from '../../database/transaction.js';
import { type DatabaseContext, withDatabase } from '../shell.js';
import { storedItems } from '../stored-items.js';
import { type AccountState, type Destination, insertItem, isArticle, Restamped } from './store-items.js';

/** What an import works with. */
export interface ImportContext extends DatabaseContext {
  /** Only in a dry run, which imports into a database in memory: the one that its accounts are copied from. */
  original?: Database;
}

/** Runs an import in memory, so that it says what it would do and changes nothing. */
export const asDryRun = <T>(context: DatabaseContext, work: (context: ImportContext) => Promise<T>): Promise<T> =>
  withDatabase({ ...context.settings, databaseUrl: 'sqlite::memory:' }, (database) =>
    work({ ...context, database, original: context.database }),
  );

/** @param added what the account begins with if there is none yet */
export async function destinationOf(
  context: ImportContext,
  account: Buffer,
  added: AccountState,
): Promise<Destination> {
  const { database, original, settings } = context;
  if (original) await copyAccount(original, database, account);
  return { database, account, maxLive: settings.maxArticlesPerUser || Infinity, added, restamped: new Restamped() };
}

/**
 * Copies an account unless it is there, with what was imported into it. Excerpts are left out to save memory. What changes
 * during that is listed twice, and copied as it was.
 */
async function copyAccount(from: Database, to: Database, account: Buffer): Promise<void> {
  const find = (database: Database) => database.onSession((session) => findAccount(session, account));
  const row = await find(from);
  if (!row || (await find(to))) return;
  await to.inTransaction(async (transaction) => {
    await addAccount(transaction, row);
    for await (const item of storedItems(from, row))
      await insertItem(transaction, account, isArticle(item) ? { ...item, excerpt: '' } : item).catch(
        (error: unknown) => {
          if (to.dialect.classify(error) !== 'duplicate') throw error;
        },
      );
    return committed(undefined);
  });
}
