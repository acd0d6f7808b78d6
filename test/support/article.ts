import { type Article, newArticle } from '../../src/articles/article.js';

/** A stored unread article with the given fields; any other has its default. */
export const aStoredArticle = (fields: Partial<Article> = {}): Article => ({
  ...newArticle(
    { url: 'https://example.com/a', title: 'A', added_by: 'laptop', added_on: 1_600_000_000_000 },
    '11111111-2222-4333-8444-555555555555',
    1_700_000_000_000,
  ),
  last_modified: 1_700_000_000_000,
  ...fields,
});

let counter = 0;

/** The body of a valid POST with a URL of its own. */
export const anArticle = <Fields extends object = object>(fields?: Fields) => ({
  url: `https://example.com/articles/${++counter}`,
  title: `Article ${counter}`,
  added_by: 'laptop',
  ...fields,
});
