import type { Timestamp } from '../../../protocol/timestamp.js';

/** An entry of another service's file. */
export interface Bookmark {
  /** Where it stands in the file. */
  line: number;
  url: string;
  title: string;
  /** Milliseconds; undefined where the file does not say. */
  addedOn?: Timestamp;
  isUnread: boolean;
  isArchived?: boolean;
  isFavorite?: boolean;
  excerpt?: string;
  /** What the entry has and an article has no field for: tags, a folder, a description. */
  leftOut: LeftOut[];
}

export type LeftOut = 'tags' | 'folder' | 'description';

const MAX_TITLE = 1024;

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

/** Code points; a title of megabytes is not taken apart as a whole. */
const firstCharacters = (text: string): string => [...text.slice(0, 2 * MAX_TITLE)].slice(0, MAX_TITLE).join('').trim();

/** Milliseconds from the seconds of an export; undefined when they are none. */
export const fromSeconds = (text: string | undefined): Timestamp | undefined =>
  text !== undefined && /^\d{1,11}$/.test(text) ? Number(text) * 1000 : undefined;
