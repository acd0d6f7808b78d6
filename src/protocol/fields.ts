/** The kinds of value a field can hold; each has one reader for bodies and one for query strings. */
export type FieldKind = 'uuid' | 'timestamp' | 'integer' | 'boolean' | 'url' | 'title' | 'text' | 'device';

/** The fields of an article in the order in which answers show them, each with its kind (docs/protocol.md, "Articles"). */
export const ARTICLE_FIELDS = {
  id: 'uuid',
  last_modified: 'timestamp',
  url: 'url',
  preview: 'url',
  title: 'title',
  resolved_url: 'url',
  resolved_title: 'title',
  excerpt: 'text',
  archived: 'boolean',
  favorite: 'boolean',
  is_article: 'boolean',
  word_count: 'integer',
  unread: 'boolean',
  added_by: 'device',
  added_on: 'timestamp',
  stored_on: 'timestamp',
  marked_read_by: 'device',
  marked_read_on: 'timestamp',
  read_position: 'integer',
} as const satisfies Record<string, FieldKind>;

export type ArticleField = keyof typeof ARTICLE_FIELDS;

/** What filters and sorts may name: an article's fields and `deleted`, true for tombstones. */
export const QUERY_FIELDS = { ...ARTICLE_FIELDS, deleted: 'boolean' } as const satisfies Record<string, FieldKind>;

export type QueryField = keyof typeof QUERY_FIELDS;

export const isQueryField = (name: string): name is QueryField => Object.hasOwn(QUERY_FIELDS, name);

/** A value as it is stored and answered: JSON scalars, already typed. */
export type FieldValue = string | number | boolean | null;
