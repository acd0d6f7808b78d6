import type { LocalArticle } from '@reading-list/client';

/** A resolver takes seconds; after this, nobody should wait for it. */
const FRESH_MS = 10 * 60_000;
/** What was seen longer ago says nothing of today. */
const SEEN_MS = 30 * 24 * 3_600_000;

/**
 * Whether a resolver works on the list. It shows only by what it does: this application saves just a URL and a title, so only
 * a resolver gives what was just saved a text. Imported articles were added long before they were stored.
 */
export const isResolverAtWork = (articles: readonly LocalArticle[], device: string, now: number): boolean =>
  articles.some(
    ({ added_by, added_on, stored_on = 0, excerpt }) =>
      added_by === device && excerpt !== '' && now - stored_on < SEEN_MS && Math.abs(stored_on - added_on) < FRESH_MS,
  );

/** Whether an article was just saved as a bare URL, so that a resolver is about to find its title. */
export const awaitsTitle = ({ title, url, excerpt, word_count, is_article, added_on }: LocalArticle, now: number) =>
  (!title || title === url) &&
  excerpt === '' &&
  word_count === null &&
  is_article &&
  /^https?:/i.test(url) &&
  now - added_on < FRESH_MS;
