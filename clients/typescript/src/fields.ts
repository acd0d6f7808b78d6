// Generated from openapi.yaml by `npm run openapi`.

/** The fields of a creation. */
export const POSTED = [
  'url',
  'title',
  'added_by',
  'preview',
  'resolved_url',
  'resolved_title',
  'excerpt',
  'archived',
  'favorite',
  'is_article',
  'word_count',
  'unread',
  'added_on',
  'marked_read_by',
  'marked_read_on',
  'read_position',
] as const;

/** The fields of a PATCH. */
export const PATCHED = [
  'title',
  'resolved_url',
  'resolved_title',
  'excerpt',
  'archived',
  'favorite',
  'is_article',
  'word_count',
  'unread',
  'marked_read_by',
  'marked_read_on',
  'read_position',
] as const;

/** The types of the fields of an article that are not null. */
export const TYPES = {
  id: 'string',
  last_modified: 'integer',
  url: 'string',
  preview: 'string',
  title: 'string',
  resolved_url: 'string',
  resolved_title: 'string',
  excerpt: 'string',
  archived: 'boolean',
  favorite: 'boolean',
  is_article: 'boolean',
  word_count: 'integer',
  unread: 'boolean',
  added_by: 'string',
  added_on: 'integer',
  stored_on: 'integer',
  marked_read_by: 'string',
  marked_read_on: 'integer',
  read_position: 'integer',
} as const;

/** The fields of an article that may be null, and are unless someone sets them. */
export const NULLS = {
  preview: null,
  title: null,
  resolved_title: null,
  word_count: null,
  marked_read_by: null,
  marked_read_on: null,
} as const;

/** The most code points of the fields that are refused beyond. */
export const MAX_LENGTHS = {
  url: 2048,
  title: 1024,
  added_by: 255,
  preview: 2048,
  resolved_url: 2048,
  resolved_title: 1024,
  marked_read_by: 255,
} as const;
