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
