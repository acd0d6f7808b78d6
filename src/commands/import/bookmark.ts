import { randomUUID } from 'node:crypto';
import { type Article, newArticle } from '../../articles/article.js';
import type { Timestamp } from '../../protocol/timestamp.js';

/** An entry of another service's export. */
export interface Bookmark {
  url: string;
  title: string;
  /** Milliseconds; undefined where the file does not say. */
  addedOn?: number;
  isUnread: boolean;
  isArchived?: boolean;
  isFavorite?: boolean;
  excerpt?: string;
}

const MAX_TITLE = 1024;

/** The article that a bookmark becomes. Throws `ApiError` 400 when it can not be one, its address above all. */
export function articleOf(bookmark: Bookmark, addedBy: string, now: Timestamp): Article {
  const body = {
    url: bookmark.url,
    title: [...bookmark.title].slice(0, MAX_TITLE).join('') || bookmark.url.slice(0, MAX_TITLE),
    added_by: addedBy,
    added_on: bookmark.addedOn,
    unread: bookmark.isUnread,
    archived: bookmark.isArchived,
    favorite: bookmark.isFavorite,
    excerpt: bookmark.excerpt,
  };
  return { ...newArticle(body, randomUUID(), now), last_modified: now };
}

/** Milliseconds from the seconds of an export; undefined when they are none. */
export const fromSeconds = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) * 1000 : undefined;
