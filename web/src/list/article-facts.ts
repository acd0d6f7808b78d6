import type { LocalArticle } from '@reading-list/client';
import { hostOf } from '../platform/links';

const WORDS_PER_MINUTE = 230;

/** What the article is called here: its title, else the title of its page, else its address. */
export const titleOf = ({
  title,
  resolved_title,
  url,
}: Pick<LocalArticle, 'title' | 'resolved_title' | 'url'>): string =>
  title || resolved_title || url.replace(/^https?:\/\/(www\.)?/, '');

/** The site, where the title does not name it already. */
export const siteOf = ({ url }: Pick<LocalArticle, 'url'>): string => hostOf(url);

/** Minutes to read it; undefined where nobody has counted its words. */
export const minutesOf = ({ word_count }: LocalArticle): number | undefined =>
  word_count ? Math.max(1, Math.round(word_count / WORDS_PER_MINUTE)) : undefined;

/** How much of it is read, from 0 to 100; undefined where nobody has counted its words, or nothing is read. */
export const percentOf = ({ word_count, read_position }: LocalArticle): number | undefined =>
  word_count && read_position ? Math.min(100, Math.round((read_position / word_count) * 100)) : undefined;
