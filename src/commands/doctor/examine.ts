import { idBytes } from '../../articles/article.row.js';
import type { Database } from '../../database/database.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { isTaken, raiseTimestamps } from '../accounts.store.js';
import * as store from './checks.store.js';
import type { Problem } from './problem.js';

const AT_ONCE = 500;

/** What is wrong with an account: its clock, its count, its tombstones, and the hashes that keep its addresses unique. */
export async function examineAccount(database: Database, account: Buffer): Promise<Problem[]> {
  const totals = await database.read((session) => store.totalsOf(session, account));
  const problems = totals ? problemsOfTotals(account, totals) : [await missingAccount(database, account)];
  const unstripped = await database.read((session) => store.countUnstripped(session, account));
  if (unstripped > 0)
    problems.push({
      text: `${unstripped} tombstones still have content`,
      repair: (transaction) => store.stripTombstones(transaction, account),
    });
  for await (const record of wrongHashes(database, account)) problems.push(await wrongHash(database, account, record));
  return problems;
}

function problemsOfTotals(account: Buffer, { last_modified, live_count, newest, live }: store.Totals): Problem[] {
  const problems: Problem[] = [];
  if (newest !== null && newest > last_modified)
    problems.push({
      text: `the clock (${last_modified}) is behind the latest record (${newest})`,
      repair: (transaction) => raiseTimestamps(transaction, account, newest, 0),
    });
  if (live_count !== live)
    problems.push({
      text: `${live_count} articles are counted, there are ${live}`,
      repair: (transaction) => store.recount(transaction, account),
    });
  return problems;
}

async function missingAccount(database: Database, account: Buffer): Promise<Problem> {
  const newest: Timestamp = await database.read((session) => store.newestOf(session, account));
  return {
    text: 'there are records without an account',
    repair: async (transaction) => {
      await transaction.run(database.dialect.insertAccount, [account, newest, newest]);
      await store.recount(transaction, account);
    },
  };
}

async function* wrongHashes(database: Database, account: Buffer): AsyncGenerator<store.Hashed> {
  for (let after = Buffer.alloc(0); ;) {
    const records = await database.read((session) => store.hashedAfter(session, account, after, AT_ONCE));
    yield* records.filter(({ isRight }) => !isRight);
    if (records.length < AT_ONCE) return;
    after = idBytes(records.at(-1)!.id) as Buffer<ArrayBuffer>;
  }
}

async function wrongHash(database: Database, account: Buffer, record: store.Hashed): Promise<Problem> {
  const { id, url, resolved_url } = record;
  if (url === null || resolved_url === null)
    return { text: `article ${id} has no address`, advice: 'delete it through the API, or restore it from a backup' };
  const holds = { id, url, resolved_url };
  if (await database.read((session) => isTaken(session, account, holds)))
    return { text: `article ${id} has an address that another has`, advice: 'delete one of them through the API' };
  return {
    text: `article ${id} has a hash that is not of its address`,
    repair: (transaction) => store.writeHashes(transaction, account, record),
  };
}
