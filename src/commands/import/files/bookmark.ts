import { MAX_CODE_POINTS } from '../../../protocol/fields.js';
import type { Timestamp } from '../../../protocol/timestamp.js';

/** An entry in another service's file. */
export interface Bookmark {
  /** Its line in the file. */
  line: number;
  url: string;
  title: string;
  /** Milliseconds; undefined if the file does not say. */
  addedOn?: Timestamp;
  isUnread: boolean;
  isArchived?: boolean;
  isFavorite?: boolean;
  excerpt?: string;
  /** What the entry has but an article has no field for. */
  leftOut: LeftOut[];
}

export type LeftOut = 'tags' | 'folder' | 'description';

/** The bookmark as the body of `POST /articles`. */
export function bodyOf(bookmark: Bookmark, addedBy: string): Record<string, unknown> {
  return {
    url: bookmark.url,
    title: firstCharacters(bookmark.title) || firstCharacters(bookmark.url),
    added_by: addedBy,
    added_on: bookmark.addedOn,
    unread: bookmark.isUnread,
    archived: bookmark.isArchived,
    favorite: bookmark.isFavorite,
    excerpt: bookmark.excerpt,
  };
}

/** The first characters (code points), without splitting a title of megabytes. */
function firstCharacters(text: string): string {
  const { title: most } = MAX_CODE_POINTS;
  return [...text.slice(0, 2 * most)].slice(0, most).join('').trim();
}

/** Converts the seconds of an export to milliseconds; undefined if invalid. */
export const fromSeconds = (text: string | undefined): Timestamp | undefined =>
  text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) * 1000 : undefined;
