import type { components } from './openapi.js';

/** A live article as the service shows it: always all of its fields. */
export type Article = components['schemas']['Article'];
/** What is left of a deleted article. */
export type Tombstone = components['schemas']['Tombstone'];
/** The body of a creation. */
export type NewArticle = components['schemas']['NewArticle'];
/** The body of a PATCH. */
export type ArticlePatch = components['schemas']['ArticlePatch'];

/** An article without what only the server can give. */
export type Draft = Omit<Article, 'id' | 'last_modified' | 'stored_on'>;

/** An article as the device has it. `key` is the device's own name for it, which never changes; `id` is the server's, once known. */
export interface LocalArticle extends Draft {
  key: string;
  id?: string;
  last_modified?: number;
  stored_on?: number;
  /** Whether it has edits that the server does not have yet. */
  pending: boolean;
}

/** Which articles, in which order. Without an order: the newest first. */
export interface Query {
  unread?: boolean;
  archived?: boolean;
  favorite?: boolean;
  order?: 'newest' | 'oldest' | 'title';
  limit?: number;
  offset?: number;
}

/** What became of an edit that could not survive as it was (README, "Conflicts"). */
export interface Conflict {
  key: string;
  url: string;
  kind: 'deleted-remotely' | 'deleted-here-edited-remotely' | 'merged' | 'refused';
  /** The values that are nowhere any more. */
  lost: Partial<Article>;
  reason?: string;
}

/** Fields of a PATCH that a device edits one by one. */
export const EDITABLE = [
  'title',
  'resolved_title',
  'resolved_url',
  'excerpt',
  'word_count',
  'is_article',
  'archived',
  'favorite',
  'unread',
  'read_position',
] as const;

export type EditableField = (typeof EDITABLE)[number];

export const isTombstone = (item: Article | Tombstone): item is Tombstone => 'deleted' in item && item.deleted;
