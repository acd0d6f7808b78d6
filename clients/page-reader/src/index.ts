import { findArticle } from './article.js';
import { canonicalUrl, previewOf } from './links.js';
import { titleOf } from './title.js';

export { isBare, missingFields } from './missing-fields.js';
export { type PlacedWord, placeWords } from './positions.js';

/** What a page is, in the fields of an article of the service. */
export interface PageFacts {
  /** At most 1,024 characters, never empty. */
  title: string;
  /** The first 200 words of the text; empty if the page is not an article. */
  excerpt: string;
  /** The words of the text; null if the page is not an article. */
  word_count: number | null;
  is_article: boolean;
  preview: string | null;
  resolved_url: string;
}

/**
 * Reads a page, and leaves it as it is. Works on the live document of a browser and on that of another DOM, with the same
 * result.
 * @param url where the page came from, after redirects
 */
export function readPage(document: Document, url: string = document.URL): PageFacts {
  const title = titleOf(document, url);
  const article = findArticle(document, { url, title });
  return {
    title,
    excerpt: article?.excerpt ?? '',
    word_count: article?.words ?? null,
    is_article: article !== undefined,
    preview: previewOf(document, url),
    resolved_url: canonicalUrl(document, url),
  };
}
