import type { Database } from '../database/database.js';
import type { AccountRow } from '../accounts/account.row.js';
import { accountsAfter } from '../accounts/accounts.store.js';

const AT_ONCE = 500;

/** All accounts in key order. */
export async function* allAccounts(database: Database): AsyncGenerator<AccountRow> {
  for (let after = Buffer.alloc(0); ;) {
    const accounts = await database.onSession((session) => accountsAfter(session, after, AT_ONCE));
    yield* accounts;
    if (accounts.length < AT_ONCE) return;
    after = accounts.at(-1)!.account as Buffer<ArrayBuffer>;
  }
}
