import { LessThanOrEqual } from 'typeorm';
import { StoredArticle } from '../../database/entities/article.entity.js';
import { managerOn } from '../../database/entities/manager.js';
import type { Session } from '../../database/session.js';
import type { Article, Tombstone } from '../article.js';
import { urlHash } from './article.row.js';

/** The timestamp of a record, and whether it is a tombstone; undefined when the account has no record with that id. */
export async function versionOf(
  session: Session,
  account: Buffer,
  id: string,
): Promise<Pick<StoredArticle, 'last_modified' | 'deleted'> | undefined> {
  const select = { account: true, id: true, last_modified: true, deleted: true } as const;
  return (await managerOn(session).findOne(StoredArticle, { select, where: { account, id } })) ?? undefined;
}

/** The ids of the live articles that have the url or the resolved_url. */
async function holdersOf(
  session: Session,
  account: Buffer,
  { url, resolved_url }: Pick<Article, 'url' | 'resolved_url'>,
): Promise<string[]> {
  const holders = new Set<string>();
  // Two queries: with a single OR condition MySQL reads all records of the account.
  for (const hash of [{ url_hash: urlHash(url) }, { resolved_url_hash: urlHash(resolved_url) }]) {
    const where = { account, ...hash };
    const holder = await managerOn(session).findOne(StoredArticle, { select: { account: true, id: true }, where });
    if (holder) holders.add(holder.id);
  }
  return [...holders];
}

/** True when another live article of the account has the url or the resolved_url. */
export const isTaken = async (
  session: Session,
  account: Buffer,
  article: Pick<Article, 'id' | 'url' | 'resolved_url'>,
): Promise<boolean> => (await holdersOf(session, account, article)).some((id) => id !== article.id.toLowerCase());

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
