import type { PageFacts } from './index.js';

/** What is known of an article, in the fields of the service. */
export interface KnownArticle {
  url: string;
  title: string | null;
  resolved_url: string;
  resolved_title: string | null;
  is_article: boolean;
  excerpt: string;
  word_count: number | null;
}

/** Whether no device has found out yet what is behind the URL. */
export const isBare = (article: Pick<KnownArticle, 'is_article' | 'excerpt' | 'word_count' | 'url'>): boolean =>
  article.is_article && article.excerpt === '' && article.word_count === null && /^https?:\/\//i.test(article.url);

/** What a page adds to an article: only to fields that have their defaults, so that nothing is lost that a person or another device set. */
export function missingFields(article: KnownArticle, { title, ...facts }: PageFacts): Partial<KnownArticle> {
  const fields: Partial<KnownArticle> = {};
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
