import { LessThanOrEqual } from 'typeorm';
import type { AccountRow } from '../../accounts/accounts.store.js';
import type { Database } from '../../database/database.js';
import { StoredArticle } from '../../database/entities/article.entity.js';
import { managerOn } from '../../database/entities/manager.js';
import type { Session } from '../../database/session.js';
import { parseCollectionQuery } from '../../protocol/collection-query.js';
import type { Article, Item } from '../article.js';
import { findPage, type Page } from './article-pages.store.js';
import { insertArticle } from './articles.store.js';

export const isArticle = (item: Item): item is Article => !('deleted' in item);

/** Also before a damaged timestamp, which may be negative. */
const BEGINNING = Number.MIN_SAFE_INTEGER;
const PAGE = { ...parseCollectionQuery(`_since=${BEGINNING}`), size: 200, maxBytes: 4_194_304 };

/** The articles and tombstones of an account, oldest change first. */
export async function* storedItems(database: Database, row: AccountRow): AsyncGenerator<Item> {
  const { account, ...collection } = row;
  for (let start: Page['next'] = { total: 0, position: [BEGINNING] }; start;) {
    const request = { ...PAGE, account, start };
    const page: Page = (await database.onSession((session) => findPage(session, request, collection)))!;
    yield* page.items!.all;
    start = page.next;
  }
}

/** The timestamp of a record, and whether it is a tombstone. */
export type Version = Pick<StoredArticle, 'last_modified' | 'deleted'>;

/** Null when the account has no record with that id. */
export function versionOf(session: Session, account: Buffer, id: string): Promise<Version | null> {
  const select = { account: true, id: true, last_modified: true, deleted: true } as const;
  return managerOn(session).findOne(StoredArticle, { select, where: { account, id } });
}

/** Adds an article or a tombstone as it is. */
export async function insertItem(session: Session, account: Buffer, item: Item): Promise<void> {
  if (isArticle(item)) await insertArticle(session, account, item);
  else await managerOn(session).insert(StoredArticle, { account, ...item });
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
