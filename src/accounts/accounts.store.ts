import { In, LessThanOrEqual, MoreThan } from 'typeorm';
import type { Database } from '../database/database.js';
import { Account, Deprovisioned } from '../database/entities/account.entity.js';
import { StoredArticle } from '../database/entities/article.entity.js';
import { managerOn } from '../database/entities/manager.js';
import { committed, type Parameter, type Row, type Session } from '../database/session.js';
import { MAX_TIMESTAMP, type Timestamp } from '../protocol/timestamp.js';

/** A row of `accounts`, but for the marks of its last writes. */
export type AccountRow = Omit<Account, 'recent_writes'>;

/** The state of a user's collection: its timestamp, number of live articles, and up to where tombstones were purged. */
export type Collection = Omit<AccountRow, 'account'>;

/** An account's key as text, for maps and messages. */
export const keyOf = (account: Buffer): string => account.toString('base64url');
export const accountOf = (key: string): Buffer => Buffer.from(key, 'base64url');

const COLLECTION = 'SELECT last_modified, live_count, purged_until FROM accounts WHERE account = ?';

/** The collection as a table of one row, to be read together with articles; `collectionOf` takes it from a result. */
export const WITH_COLLECTION =
  '(SELECT last_modified AS collection_modified, live_count, purged_until FROM accounts WHERE account = ?) AS collection';
export const COLLECTION_COLUMNS = ['collection_modified', 'live_count', 'purged_until'];

export const collectionOf = ({ collection_modified, live_count, purged_until }: Row): Collection =>
  ({ last_modified: collection_modified, live_count, purged_until }) as Collection;

/** The account's collection; undefined before the user's first request. */
export const findCollection = (session: Session, account: Buffer) =>
  session.row(COLLECTION, [account]) as Promise<Collection | undefined>;

/** An SQL fragment with the values of its placeholders. */
export type Condition = { sql: string; parameters: Parameter[] };

/** Like `findCollection`, but undefined too if there are rows of `articles` that meet a condition. */
export function findCollectionWithout(session: Session, account: Buffer, articles: Condition) {
  const sql = `${COLLECTION} AND NOT EXISTS (SELECT 1 FROM articles WHERE ${articles.sql})`;
  return session.row(sql, [account, ...articles.parameters]) as Promise<Collection | undefined>;
}

/** Like `findCollection`, but locks the account for the rest of the transaction. */
export function lockCollection(session: Session, account: Buffer): Promise<Collection | undefined> {
  const lock = session.dialect.isLocal ? '' : ' FOR UPDATE';
  return session.row(COLLECTION + lock, [account]) as Promise<Collection | undefined>;
}

/** The latest timestamp of a record, damaged ones aside; 0 without records. */
export async function latestTimestamp(session: Session, account: Buffer): Promise<Timestamp> {
  const where = { account, last_modified: LessThanOrEqual(MAX_TIMESTAMP) };
  return (await managerOn(session).maximum(StoredArticle, 'last_modified', where)) ?? 0;
}

/** Sets the clock to the last of several timestamps of a transaction and corrects the number of live articles. */
export async function settleCollection(session: Session, account: Buffer, last: Timestamp, liveDelta: number) {
  const sql = 'UPDATE accounts SET last_modified = ?, live_count = live_count + ? WHERE account = ?';
  await session.run(sql, [last, liveDelta, account]);
}

/** Adds an account unless it exists. */
export async function addAccount(session: Session, account: AccountRow): Promise<void> {
  const insert = managerOn(session).createQueryBuilder().insert().into(Account);
  await insert.values(account).orIgnore().updateEntity(false).execute();
}

/** What `find` finds. At the first contact the user's account is added: the collection has a timestamp from then on. */
export async function findOrAdd(session: Session, account: Buffer, now: Timestamp, find = findCollection) {
  const known = await find(session, account);
  if (known) return known;
  await addAccount(session, { account, last_modified: now, live_count: 0, purged_until: now - 1 });
  return (await find(session, account))!;
}

export async function findAccount(session: Session, account: Buffer): Promise<AccountRow | undefined> {
  return (await managerOn(session).findOneBy(Account, { account })) ?? undefined;
}

/** The accounts after a key, in key order. */
export function accountsAfter(session: Session, after: Buffer, take: number): Promise<AccountRow[]> {
  return managerOn(session).find(Account, { where: { account: MoreThan(after) }, order: { account: 'ASC' }, take });
}

const ACCOUNTS_AT_ONCE = 200;

/** All accounts in key order; `read` returns those that follow a key. */
export async function* everyAccount<T extends { account: Buffer }>(
  database: Database,
  read: (session: Session, after: Buffer, size: number) => Promise<T[]>,
): AsyncGenerator<T, void, undefined> {
  for (let after = Buffer.alloc(0) as Buffer; ;) {
    const accounts = await database.onSession((session) => read(session, after, ACCOUNTS_AT_ONCE));
    yield* accounts;
    if (accounts.length < ACCOUNTS_AT_ONCE) return;
    after = accounts.at(-1)!.account;
  }
}

/** The keys of the accounts after a key, and whether each has tombstones older than `before`. */
export async function purgeableAfter(session: Session, after: Buffer, before: Timestamp, size: number) {
  const rows = await session.rows(
    `SELECT account, EXISTS (SELECT 1 FROM articles t
         WHERE t.account = a.account AND t.deleted = 1 AND t.last_modified < ?) AS isDue
       FROM accounts a WHERE account > ? ORDER BY account LIMIT ${size}`,
    [before, after],
  );
  return rows as { account: Buffer; isDue: 0 | 1 }[];
}

/** The timestamps of several accounts, by their keys; accounts that do not exist are left out. */
export async function lastModifiedOf(session: Session, accounts: readonly Buffer[]) {
  // Literals: binding hundreds of keys every second would cost more than everything else that waiting polls need.
  const keys = accounts.map((account) => `x'${account.toString('hex')}'`).join(',');
  const rows = await session.rows(`SELECT account, last_modified FROM accounts WHERE account IN (${keys})`, []);
  return new Map(rows.map(({ account, last_modified }) => [keyOf(account as Buffer), Number(last_modified)]));
}

const later = (column: string) => `${column} = CASE WHEN ${column} < ? THEN ? ELSE ${column} END`;
const RAISE = `UPDATE accounts SET ${later('last_modified')}, ${later('purged_until')} WHERE account = ?`;

/** Raises the account's timestamps to at least the given ones, which also locks its row for the transaction. */
export async function raiseTimestamps(session: Session, account: Buffer, clock: Timestamp, purgedUntil: Timestamp) {
  await session.run(RAISE, [clock, clock, purgedUntil, purgedUntil, account]);
}

/** Changes an account's key to an unused one; its records keep the old key. */
export const moveAccount = (session: Session, from: Buffer, to: Buffer) =>
  managerOn(session).update(Account, { account: from }, { account: to });

export const eraseAccount = (session: Session, account: Buffer) => managerOn(session).delete(Account, { account });

/** Deletes rows in one transaction, and returns how many. */
export async function countDeleted(database: Database, remove: (transaction: Session) => Promise<number>) {
  let count = 0;
  return database.inTransaction(async (transaction) => {
    // A repetition after a lost reply to COMMIT may find them gone.
    count = Math.max(count, await remove(transaction));
    return committed(count);
  });
}

/** The keys of all users whose tokens are refused. */
export async function deprovisionedAccounts(session: Session): Promise<Buffer[]> {
  const rows = await session.rows('SELECT account FROM deprovisioned', []);
  return rows.map(({ account }) => account as Buffer);
}

export const isDeprovisioned = (session: Session, account: Buffer): Promise<boolean> =>
  managerOn(session).existsBy(Deprovisioned, { account });

/** Refuses the tokens of users from now on, and sets or clears when their lists are erased. */
export const deprovision = (session: Session, users: Deprovisioned[]) =>
  managerOn(session).upsert(Deprovisioned, users, ['account']);

/** Accepts the users' tokens again; returns how many of the users were deprovisioned. */
export const readmit = (database: Database, accounts: Buffer[]): Promise<number> =>
  countDeleted(
    database,
    async (session) => (await managerOn(session).delete(Deprovisioned, { account: In(accounts) })).affected!,
  );

/** A user whose list is due for erasure, if there is one. */
export const nextToErase = (session: Session, now: Timestamp) =>
  managerOn(session).findOneBy(Deprovisioned, { erase_on: LessThanOrEqual(now) });

/** Whether the user's list is still due for erasure: the user may be readmitted while it is being erased. */
export const isDue = (session: Session, account: Buffer, now: Timestamp): Promise<boolean> =>
  managerOn(session).existsBy(Deprovisioned, { account, erase_on: LessThanOrEqual(now) });

/** Notes that the user's list is erased, unless the erasure has been put off meanwhile. */
export const noteErased = (session: Session, account: Buffer, now: Timestamp) =>
  managerOn(session).update(Deprovisioned, { account, erase_on: LessThanOrEqual(now) }, { erase_on: null });
