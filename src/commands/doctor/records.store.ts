import type { Collection } from '../../accounts/accounts.store.js';
import { HASHES, urlHash } from '../../articles/store/article.row.js';
import { Account } from '../../database/entities/account.entity.js';
import { managerOn } from '../../database/entities/manager.js';
import type { Parameter, Row, Session } from '../../database/session.js';
import { type ArticleField, type Field, FIELD_NAMES, FIELDS, KINDS } from '../../protocol/fields.js';
import { MAX_TIMESTAMP, type Timestamp } from '../../protocol/timestamp.js';

/** An account's row, null if it has none and of any type if damaged, with totals from its records. */
export type Totals = Record<keyof Collection, Row[string]> & {
  records: number;
  newest: Timestamp | null;
  live: number;
};

/** One statement, so that row and totals are consistent despite concurrent writes. */
export async function totalsOf(session: Session, account: Buffer): Promise<Totals> {
  const sql = `SELECT a.last_modified, a.live_count, a.purged_until, r.records, r.newest, r.live
    FROM (SELECT COUNT(*) AS records, COUNT(CASE WHEN deleted = 0 THEN 1 END) AS live,
        MAX(CASE WHEN last_modified BETWEEN 0 AND ${MAX_TIMESTAMP} THEN last_modified END) AS newest
      FROM articles WHERE account = ?) r
    LEFT JOIN accounts a ON a.account = ?`;
  return (await session.row(sql, [account, account])) as unknown as Totals;
}

/** The keys after `after` of accounts with a row, records, or both. */
export async function keysAfter(session: Session, after: Buffer, size: number): Promise<{ account: Buffer }[]> {
  const ofTable = (table: string) => `SELECT account FROM (SELECT DISTINCT account FROM ${table}
    WHERE account > ? ORDER BY account LIMIT ${size}) ${table}`;
  const keys = `${ofTable('accounts')} UNION ${ofTable('articles')} ORDER BY account LIMIT ${size}`;
  return (await session.rows(keys, [after, after])) as { account: Buffer }[];
}

export async function updateAccount(transaction: Session, account: Buffer, collection: Collection): Promise<void> {
  await managerOn(transaction).update(Account, { account }, collection);
}

/** SQL that is true for values the service never writes: SQLite takes any in any column. A tombstone has no content. */
function isWrong(field: ArticleField, isLocal: boolean): string {
  const { kind, nullable } = FIELDS[field] as Field;
  const { type } = KINDS[kind];
  const stored = kind === 'uuid' ? 'blob' : type === 'text' ? 'text' : 'integer';
  const most = field === 'last_modified' ? MAX_TIMESTAMP : type === 'boolean' ? 1 : Number.MAX_SAFE_INTEGER;
  const wrong = [
    nullable ? 'FALSE' : `${field} IS NULL`,
    ...(isLocal ? [`TYPEOF(${field}) NOT IN ('${stored}', 'null')`] : []),
    ...(stored === 'blob' ? [`LENGTH(${field}) <> 16`] : []),
    ...(stored === 'integer' ? [`${field} NOT BETWEEN 0 AND ${most}`] : []),
  ].join(' OR ');
  if (field === 'id' || field === 'last_modified') return wrong;
  return `CASE WHEN deleted = 1 THEN ${field} IS NOT NULL ELSE ${wrong} END`;
}

/** Records of an account after `after` in id order, with the names of the columns whose values are invalid. */
export function recordsAfter(session: Session, account: Buffer, after: Parameter | undefined, size: number) {
  const conditions = [
    ...FIELD_NAMES.map((field) => [field, isWrong(field, session.dialect.isLocal)]),
    ...HASHES.map((hash) => [hash, `deleted = 1 AND ${hash} IS NOT NULL`]),
    ['deleted', 'deleted IS NULL OR deleted NOT IN (0, 1)'],
  ];
  const names = conditions.map(([column, wrong]) => `CASE WHEN ${wrong} THEN '${column}' END`).join(', ');
  const [start, parameters] = after === undefined ? ['', [account]] : ['AND id > ?', [account, after]];
  const sql = `SELECT id, deleted, url, resolved_url, ${HASHES.join(', ')}, CONCAT_WS(', ', ${names}) AS wrong
    FROM articles WHERE account = ? ${start} ORDER BY id LIMIT ${size}`;
  return session.rows(sql, parameters);
}

/** True when a live article has the right hashes of its URLs. */
export const hasItsHashes = (row: Row): boolean =>
  ['url', 'resolved_url'].every((field) => {
    const stored = row[`${field}_hash`];
    return Buffer.isBuffer(stored) && stored.equals(urlHash(row[field] as string));
  });
