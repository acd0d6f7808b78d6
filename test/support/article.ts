import type { Article } from '../../src/articles/article.js';

/** An unread article as it is stored, but for the given fields. */
export const aStoredArticle = (fields: Partial<Article> = {}): Article => ({
  id: '11111111-2222-4333-8444-555555555555',
  last_modified: 1_700_000_000_000,
  url: 'https://example.com/a',
  preview: null,
  title: 'A',
  resolved_url: 'https://example.com/a',
  resolved_title: 'A',
  excerpt: '',
  archived: false,
  favorite: false,
  is_article: true,
  word_count: null,
  unread: true,
  added_by: 'laptop',
  added_on: 1_600_000_000_000,
  stored_on: 1_700_000_000_000,
  marked_read_by: null,
  marked_read_on: null,
  read_position: 0,
  ...fields,
});
