import { LessThanOrEqual } from 'typeorm';
import { StoredArticle } from '../../database/entities/article.entity.js';
import { managerOn } from '../../database/entities/manager.js';
import type { Session } from '../../database/session.js';
import { LATEST_TIMESTAMP, type Timestamp } from '../../protocol/timestamp.js';
import type { Tombstone } from '../article.js';

/** The timestamp of a record, and whether it is a tombstone. */
export type Version = Pick<StoredArticle, 'last_modified' | 'deleted'>;

/** Undefined when the account has no record with that id. */
export async function versionOf(session: Session, account: Buffer, id: string): Promise<Version | undefined> {
  const select = { account: true, id: true, last_modified: true, deleted: true } as const;
  return (await managerOn(session).findOne(StoredArticle, { select, where: { account, id } })) ?? undefined;
}

/** The latest timestamp of a record, but for damaged ones; 0 without records. */
export async function latestTimestamp(session: Session, account: Buffer): Promise<Timestamp> {
  const where = { account, last_modified: LessThanOrEqual(LATEST_TIMESTAMP) };
  return (await managerOn(session).maximum(StoredArticle, 'last_modified', where)) ?? 0;
}

export async function insertTombstone(session: Session, account: Buffer, { id, last_modified }: Tombstone) {
  await managerOn(session)
    .createQueryBuilder()
    .insert()
    .into(StoredArticle)
    .values({ account, id, last_modified, deleted: true })
    .updateEntity(false)
    .execute();
}

export async function deleteItem(session: Session, account: Buffer, id: string): Promise<void> {
  await managerOn(session).delete(StoredArticle, { account, id });
}

/** True when the account has articles or tombstones. */
export const hasItems = (session: Session, account: Buffer): Promise<boolean> =>
  managerOn(session).existsBy(StoredArticle, { account });

const MOVED_AT_ONCE = 500;

/** Moves all records of an account to another one, which must have none; returns how many there were. */
export async function moveItems(session: Session, from: Buffer, to: Buffer): Promise<number> {
  const entities = managerOn(session);
  for (let moved = 0; ;) {
    const items = await entities.find(StoredArticle, {
      select: { account: true, id: true, last_modified: true },
      where: { account: from },
      order: { last_modified: 'ASC' },
      take: MOVED_AT_ONCE,
    });
    if (items.length === 0) return moved;
    const last_modified = LessThanOrEqual(items.at(-1)!.last_modified);
    await entities.update(StoredArticle, { account: from, last_modified }, { account: to });
    moved += items.length;
  }
}
