import { Account } from '../database/entities/account.entity.js';
import { StoredArticle } from '../database/entities/article.entity.js';
import { managerOn } from '../database/entities/manager.js';
import type { Row, Session } from '../database/session.js';
import { LATEST_TIMESTAMP, type Timestamp } from '../protocol/timestamp.js';

/**
 * An account's row as the driver returns it, with totals from its records; in a damaged one values may be of any type.
 */
export interface Totals {
  last_modified: Row[string];
  live_count: Row[string];
  purged_until: Row[string];
  /** The latest valid timestamp. */
  newest: Timestamp | null;
  live: number;
}

const LIVE = 'r.deleted = 0';
/** In SQLite every text is greater than every number. */
const USABLE = `r.last_modified BETWEEN 0 AND ${LATEST_TIMESTAMP}`;

/** The first account key after `after` with an account row or records. Anything that is not 16 bytes long is no key. */
export async function nextAccount(session: Session, after: Buffer): Promise<Buffer | undefined> {
  const keys: Buffer[] = [];
  for (const table of [Account, StoredArticle]) {
    const first = managerOn(session)
      .createQueryBuilder<{ account: Buffer }>(table, 't')
      .select('t.account', 'account')
      .where('t.account > :after AND LENGTH(t.account) = 16', { after });
    const found = await first.orderBy('t.account').limit(1).getRawOne<{ account: Buffer }>();
    if (found) keys.push(found.account);
  }
  return keys.sort((a, b) => a.compare(b))[0];
}

/**
 * Reads row and totals in one statement, so that they are consistent despite concurrent writes; undefined without a row
 * in `accounts`.
 */
export async function totalsOf(session: Session, account: Buffer): Promise<Totals | undefined> {
  const accounts = managerOn(session).createQueryBuilder(Account, 'a').where('a.account = :account', { account });
  const records = (what: string) =>
    accounts.subQuery().select(what).from(StoredArticle, 'r').where('r.account = a.account');
  return accounts
    .select('a.last_modified', 'last_modified')
    .addSelect('a.live_count', 'live_count')
    .addSelect('a.purged_until', 'purged_until')
    .addSelect(records('MAX(r.last_modified)').andWhere(USABLE).getQuery(), 'newest')
    .addSelect(records('COUNT(*)').andWhere(LIVE).getQuery(), 'live')
    .getRawOne<Totals>();
}

/** Overwrites both timestamps of an account. */
export async function setClock(session: Session, account: Buffer, clock: Timestamp): Promise<void> {
  await managerOn(session).update(Account, { account }, { last_modified: clock, purged_until: clock });
}

/** Matches rows whose account is not 16 bytes long; only SQLite can hold such rows. */
export const STRAY_KEY = "LENGTH(account) <> 16 OR TYPEOF(account) <> 'blob'";

/** How many rows of each table have an account key that no user can have. */
export async function countStrayKeys(session: Session): Promise<Record<'accounts' | 'articles', number>> {
  const count = (table: string) => `(SELECT COUNT(*) FROM ${table} WHERE ${STRAY_KEY}) AS ${table}`;
  const row = await session.row(`SELECT ${count('accounts')}, ${count('articles')}`, []);
  return row as Record<'accounts' | 'articles', number>;
}

/** Corrects the number of live articles. */
export async function recount(session: Session, account: Buffer): Promise<void> {
  const accounts = managerOn(session).createQueryBuilder();
  const live = accounts.subQuery().select('COUNT(*)').from(StoredArticle, 'r').where('r.account = :account');
  await accounts
    .update(Account)
    .set({ live_count: () => live.andWhere(LIVE).getQuery() })
    .where('account = :account', { account })
    .execute();
}
