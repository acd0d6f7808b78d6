import { Between, type FindOptionsWhere, IsNull, Not } from 'typeorm';
import { COLUMNS, CONTENT_COLUMNS, urlHash } from '../../articles/store/article.row.js';
import { StoredArticle } from '../../database/entities/article.entity.js';
import { managerOn } from '../../database/entities/manager.js';
import { Token } from '../../database/entities/token.entity.js';
import type { Parameter, Row, Session } from '../../database/session.js';
import { LATEST_TIMESTAMP, type Timestamp } from '../../protocol/timestamp.js';

/** Tombstones with a value in a column that should be empty. */
const unstripped = (account: Buffer): FindOptionsWhere<StoredArticle>[] =>
  CONTENT_COLUMNS.map((column) => ({ account, deleted: true, [column]: Not(IsNull()) }));

/** The latest valid timestamp of a record; 0 if there is none. */
export async function newestOf(session: Session, account: Buffer): Promise<Timestamp> {
  const usable = { account, last_modified: Between(0, LATEST_TIMESTAMP) };
  return Math.ceil((await managerOn(session).maximum(StoredArticle, 'last_modified', usable)) ?? 0);
}

export const countUnstripped = (session: Session, account: Buffer): Promise<number> =>
  managerOn(session).countBy(StoredArticle, unstripped(account));

export async function stripTombstones(session: Session, account: Buffer): Promise<void> {
  const empty = Object.fromEntries(CONTENT_COLUMNS.map((column) => [column, null]));
  await managerOn(session).update(StoredArticle, { account, deleted: true }, empty);
}

/**
 * Records after `after` in id order: all columns as the driver returns them, but only the first character of excerpts.
 */
export function recordsAfter(session: Session, account: Buffer, after: Parameter | undefined, size: number) {
  const records = managerOn(session)
    .createQueryBuilder(StoredArticle, 'r')
    .select([])
    .where('r.account = :account', { account })
    .orderBy('r.id')
    .limit(size);
  for (const column of COLUMNS)
    records.addSelect(column === 'excerpt' ? 'SUBSTR(r.excerpt, 1, 1)' : `r.${column}`, column);
  if (after !== undefined) records.andWhere('r.id > :after', { after });
  return records.getRawMany<Row>();
}

/** True when a live row has the right hashes of its URLs. */
export const hasItsHashes = ({ url, url_hash, resolved_url, resolved_url_hash }: Row): boolean =>
  isHashOf(url_hash!, url!) && isHashOf(resolved_url_hash!, resolved_url!);

const isHashOf = (stored: Row[string], text: Row[string]): boolean =>
  typeof text === 'string' && Buffer.isBuffer(stored) && stored.equals(urlHash(text));

/** Writes columns of one record; its id may be invalid. */
export async function writeColumns(
  session: Session,
  account: Buffer,
  id: Parameter,
  values: Record<string, Parameter>,
) {
  await managerOn(session)
    .createQueryBuilder()
    .update(StoredArticle)
    .set(values)
    .where('account = :account AND id = :id', { account, id })
    .execute();
}

/** Personal tokens with an invalid time, which might never expire. */
export function tokensWithoutTime(session: Session): Promise<Pick<Token, 'subject' | 'name'>[]> {
  const isTime = (column: string) => `COALESCE(${column} BETWEEN 0 AND ${Number.MAX_SAFE_INTEGER}, 1)`;
  return managerOn(session)
    .createQueryBuilder(Token, 't')
    .select('t.subject', 'subject')
    .addSelect('t.name', 'name')
    .where(`NOT (${isTime('t.created_on')} AND ${isTime('t.expires_on')})`)
    .getRawMany();
}
