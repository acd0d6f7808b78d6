import { PATCHED, type POSTED } from './fields.js';
import type { components } from './openapi.js';

/** A live article from the service, with all its fields. */
export type Article = components['schemas']['Article'];
/** What is left of a deleted article. */
export type Tombstone = components['schemas']['Tombstone'];
/** The body of a POST that creates an article. */
export type NewArticle = components['schemas']['NewArticle'];
/** The body of a PATCH. */
export type ArticlePatch = components['schemas']['ArticlePatch'];

/** An article without the fields that only the server can set. */
export type Draft = Pick<Article, (typeof POSTED)[number]>;

/**
 * An article as stored on the device. `key` is the device's own identifier, which never changes; `id` is the server's,
 * once known.
 */
export interface LocalArticle extends Draft {
  key: string;
  id?: string;
  last_modified?: number;
  stored_on?: number;
  /** Whether it has edits that are not on the server yet. */
  pending: boolean;
}

/** Which articles to list and in which order; newest first by default. */
export interface Query {
  unread?: boolean;
  archived?: boolean;
  favorite?: boolean;
  order?: 'newest' | 'oldest' | 'title';
  limit?: number;
  offset?: number;
}

/** An edit that could not be kept as it was (README, "Conflicts"). */
export interface Conflict {
  key: string;
  url: string;
  kind: 'deleted-remotely' | 'deleted-here-edited-remotely' | 'merged' | 'refused';
  /** The values that are lost. */
  lost: Partial<Article>;
  /** In English. */
  reason?: string;
  /** Of `refused`: the service's own error number (docs/protocol.md, "Errors"). */
  errno?: number | undefined;
  /** Of `refused`: the field that is to blame, if any. */
  field?: string | undefined;
}

/** Who marked it read, and when: these go with `unread`. */
export type Marks = Pick<Article, 'marked_read_by' | 'marked_read_on'>;
export const NO_MARKS: Marks = { marked_read_by: null, marked_read_on: null };

export type EditableField = Exclude<(typeof PATCHED)[number], keyof Marks>;

/** Fields of a PATCH that a device edits one by one. */
export const EDITABLE = PATCHED.filter((field): field is EditableField => !(field in NO_MARKS));

export const isTombstone = (item: Article | Tombstone): item is Tombstone => 'deleted' in item && item.deleted;
