import * as checks from '../../accounts/account-checks.store.js';
import { addAccount, raiseTimestamps } from '../../accounts/accounts.store.js';
import { tick } from '../../accounts/tick.js';
import { urlHash } from '../../articles/store/article.row.js';
import { isTaken } from '../../articles/store/transfer.store.js';
import type { Database } from '../../database/database.js';
import type { Parameter, Row } from '../../database/session.js';
import { isUsableTimestamp, type Timestamp } from '../../protocol/timestamp.js';
import { uuidText } from '../../protocol/uuid.js';
import * as store from './checks.store.js';
import { type ExaminedAccount, inAccount, type Problem } from './problem.js';
import { type Faults, faultsOf, isLive } from './record-damage.js';

const AT_ONCE = 500;

/** The problems of an account (clock, count, tombstones, records), in the order in which they have to be repaired. */
export async function examineAccount(examined: ExaminedAccount): Promise<Problem[]> {
  const { database, account } = examined;
  const totals = await database.onSession((session) => checks.totalsOf(session, account));
  const problems = totals ? problemsOfTotals(examined, totals) : [missingAccount(examined)];
  const unstripped = await database.onSession((session) => store.countUnstripped(session, account));
  if (unstripped > 0)
    problems.push({
      text: `${unstripped} tombstones still have content`,
      repair: inAccount(examined, (transaction) => store.stripTombstones(transaction, account)),
    });
  for await (const record of recordsOf(examined)) problems.push(...(await problemsOfRecord(examined, record)));
  return problems;
}

function problemsOfTotals(examined: ExaminedAccount, totals: checks.Totals): Problem[] {
  const problems = problemsOfClock(examined, totals);
  if (totals.live_count !== totals.live)
    problems.push({
      text: `${shown(totals.live_count)} articles are counted, there are ${totals.live}`,
      repair: inAccount(examined, (transaction) => checks.recount(transaction, examined.account)),
    });
  return problems;
}

function problemsOfClock(examined: ExaminedAccount, { last_modified, purged_until, newest }: checks.Totals): Problem[] {
  if (!isUsableTimestamp(last_modified))
    return [{ text: `the clock (${shown(last_modified)}) is not a timestamp`, repair: resetClock(examined, 0) }];
  const isBehind = newest !== null && newest > last_modified;
  const known = isBehind ? Math.ceil(newest) : last_modified;
  if (!isUsableTimestamp(purged_until) || purged_until > known)
    return [
      {
        text: `tombstones were purged until ${shown(purged_until)}, which is later than the clock (${last_modified})`,
        repair: resetClock(examined, known),
      },
    ];
  if (!isBehind) return [];
  return [
    {
      text: `the clock (${last_modified}) is behind the latest record (${newest})`,
      repair: inAccount(examined, (transaction) => raiseTimestamps(transaction, examined.account, known, 0)),
    },
  ];
}

/** All devices have to start over, because what they have been told is unknown. */
const resetClock = (examined: ExaminedAccount, known: Timestamp) =>
  inAccount(examined, async (transaction) => {
    const newest = await store.newestOf(transaction, examined.account);
    const now = Math.max(examined.clock(), known + 1, newest + 1);
    await checks.setClock(transaction, examined.account, now);
  });

/** Shows a number, but no other content. */
const shown = (value: Row[string]): string =>
  typeof value === 'number' || /^-?\d+$/.test(String(value)) ? String(value) : 'no number';

function missingAccount(examined: ExaminedAccount): Problem {
  const { account } = examined;
  return {
    text: 'there are records without an account',
    repair: inAccount(examined, async (transaction) => {
      const newest: Timestamp = await store.newestOf(transaction, account);
      await addAccount(transaction, { account, last_modified: newest, live_count: 0, purged_until: newest });
      await checks.recount(transaction, account);
    }),
  };
}

async function* recordsOf({ database, account }: ExaminedAccount): AsyncGenerator<Row> {
  for (let after: Parameter | undefined; ;) {
    const from = after;
    const records = await database.onSession((session) => store.recordsAfter(session, account, from, AT_ONCE));
    yield* records;
    if (records.length < AT_ONCE) return;
    after = records.at(-1)!.id!;
  }
}

async function problemsOfRecord(examined: ExaminedAccount, row: Row): Promise<Problem[]> {
  const faults = faultsOf(row);
  if (Object.keys(faults).length > 0) return [damagedRecord(examined, row, faults)];
  return isLive(row) && !store.hasItsHashes(row) ? [await wrongHash(examined, row)] : [];
}

/** Only a timestamp can be replaced: what else the record should say, nobody but a device knows. */
function damagedRecord(examined: ExaminedAccount, row: Row, faults: Faults): Problem {
  const words = Object.entries(faults).map(([field, fault]) => `${field} ${fault}`);
  const text = `${isLive(row) ? 'article' : 'tombstone'} ${nameOf(row.id!)}: ${words.join(', ')}`;
  if (Object.keys(faults).join() !== 'last_modified')
    return {
      text,
      advice: `delete it ${faults.deleted === undefined ? 'through the API' : 'with SQL'}, or restore it from a backup`,
    };
  const { account, clock } = examined;
  return {
    text,
    repair: inAccount(examined, async (transaction) => {
      const { timestamp } = (await tick(transaction, { account, now: clock(), liveDelta: 0 }))!;
      await store.writeColumns(transaction, account, row.id!, { last_modified: timestamp });
    }),
  };
}

const nameOf = (id: Row[string]): string =>
  Buffer.isBuffer(id) && id.length === 16
    ? uuidText(id)
    : `with the key x'${Buffer.from(id as string).toString('hex')}'`;

async function wrongHash(examined: ExaminedAccount, row: Row): Promise<Problem> {
  const { database, account } = examined;
  const holds = { id: uuidText(row.id as Buffer), url: row.url as string, resolved_url: row.resolved_url as string };
  if (await database.onSession((session) => isTaken(session, account, holds)))
    return {
      text: `article ${holds.id} duplicates the URL of another article`,
      advice: 'delete one of them through the API',
    };
  return {
    text: `article ${holds.id} has a hash that does not match its URL`,
    repair: inAccount(examined, (transaction) =>
      store.writeColumns(transaction, account, row.id!, {
        url_hash: urlHash(holds.url),
        resolved_url_hash: urlHash(holds.resolved_url),
      }),
    ),
  };
}

/** Finds rows that belong to nobody, and tokens whose expiry is unknown. */
export async function examineStrays(database: Database): Promise<Problem[]> {
  const tokens = await database.onSession(store.tokensWithoutTime);
  const problems: Problem[] = tokens.map(({ subject, name }) => ({
    text: `the token "${name}" of ${subject} has a time that is not a number`,
    advice: `token revoke ${subject} --name "${name}", and make another`,
  }));
  // A server's fixed-length column cannot hold such keys; a column of another length is a schema problem.
  if (!database.dialect.isLocal) return problems;
  const stray = await database.onSession(checks.countStrayKeys);
  for (const table of ['accounts', 'articles'] as const)
    if (stray[table] > 0)
      problems.push({
        text: `${stray[table]} rows of ${table} have a key that is not 16 bytes long, which no user can reach`,
        advice: `keep a backup, then: DELETE FROM ${table} WHERE ${checks.STRAY_KEY}`,
      });
  return problems;
}
