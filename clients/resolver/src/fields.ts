import type { Article, ArticlePatch } from '@reading-list/client';
import type { PageFacts } from '@reading-list/page-reader/node';

/** Whether no device has found out yet what is behind the URL. */
export const isBare = (article: Pick<Article, 'is_article' | 'excerpt' | 'word_count' | 'url'>): boolean =>
  article.is_article && article.excerpt === '' && article.word_count === null && /^https?:\/\//i.test(article.url);

/** What a page adds to an article: only to fields that have their defaults, so that nothing is lost that a person or another device set. */
export function missingFields(article: Article, { title, ...facts }: PageFacts): ArticlePatch {
  const fields: ArticlePatch = {};
  if (!article.title || article.title === article.url) fields.title = title;
  if (!article.resolved_title || article.resolved_title === article.title) fields.resolved_title = title;
  if (article.resolved_url === article.url) fields.resolved_url = facts.resolved_url;
  if (isBare(article))
    Object.assign(
      fields,
      facts.is_article ? { excerpt: facts.excerpt, word_count: facts.word_count } : { is_article: false },
    );
  return fields;
}
