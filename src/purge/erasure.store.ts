import { LessThanOrEqual } from 'typeorm';
import { StoredArticle } from '../database/entities/article.entity.js';
import { managerOn } from '../database/entities/manager.js';
import type { Session } from '../database/session.js';
import type { Timestamp } from '../protocol/timestamp.js';

/** The timestamps of articles and tombstones, and which of the two each is, oldest change first. */
export async function oldestRecords(session: Session, account: Buffer, size: number) {
  const rows = await session.rows(
    `SELECT last_modified, deleted FROM articles WHERE account = ? ORDER BY last_modified LIMIT ${size}`,
    [account],
  );
  return rows as { last_modified: Timestamp; deleted: 0 | 1 }[];
}

/** Permanently deletes everything up to a timestamp; returns the number of records. */
export async function eraseUntil(session: Session, account: Buffer, until: Timestamp): Promise<number> {
  const records = { account, last_modified: LessThanOrEqual(until) };
  return (await managerOn(session).delete(StoredArticle, records)).affected!;
}
