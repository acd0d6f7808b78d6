import { LessThan, LessThanOrEqual } from 'typeorm';
import { raiseTimestamps } from '../accounts/accounts.store.js';
import { StoredArticle } from '../database/entities/article.entity.js';
import { managerOn } from '../database/entities/manager.js';
import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** The timestamps of the oldest tombstones before `before`, at most `size`, ascending. */
export async function findTombstones(session: Session, account: Buffer, before: Timestamp, size: number) {
  const rows = await session.rows(
    `SELECT last_modified FROM articles WHERE account = ? AND deleted = 1 AND last_modified < ?
     ORDER BY last_modified LIMIT ${size}`,
    [account, before],
  );
  return rows.map((row) => row.last_modified as Timestamp);
}

/** The number of tombstones before `before`. */
export const countTombstones = (session: Session, account: Buffer, before: Timestamp): Promise<number> =>
  managerOn(session).countBy(StoredArticle, { account, deleted: true, last_modified: LessThan(before) });

/**
 * Deletes the account's tombstones up to `until` and records that in the account's row, which is written first and
 * thereby locked. Returns how many there were.
 */
export async function deleteTombstones(session: Session, account: Buffer, until: Timestamp): Promise<number> {
  await raiseTimestamps(session, account, 0, until);
  const tombstones = { account, deleted: true, last_modified: LessThanOrEqual(until) };
  const { affected } = await managerOn(session).delete(StoredArticle, tombstones);
  return affected!;
}

/** The timestamps of articles and tombstones, and which of the two each is, oldest change first. */
export async function oldestRecords(session: Session, account: Buffer, size: number) {
  const rows = await session.rows(
    `SELECT last_modified, deleted FROM articles WHERE account = ? ORDER BY last_modified LIMIT ${size}`,
    [account],
  );
  return rows as { last_modified: Timestamp; deleted: 0 | 1 }[];
}

/** Permanently deletes everything up to a timestamp. */
export async function eraseUntil(session: Session, account: Buffer, until: Timestamp): Promise<void> {
  await managerOn(session).delete(StoredArticle, { account, last_modified: LessThanOrEqual(until) });
}
