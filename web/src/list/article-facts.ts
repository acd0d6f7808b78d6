import type { LocalArticle } from '@reading-list/client';
import { hostOf } from '../platform/links';

const WORDS_PER_MINUTE = 230;

/** The article's displayed title: its title, otherwise the page's title, otherwise its URL, which may stand for the title. */
export const titleOf = ({
  title,
  resolved_title,
  url,
}: Pick<LocalArticle, 'title' | 'resolved_title' | 'url'>): string =>
  (title !== url && (title || resolved_title)) || url.replace(/^https?:\/\/(www\.)?/, '');

/** The article's site. */
export const siteOf = ({ url }: Pick<LocalArticle, 'url'>): string => hostOf(url);

/** The reading time in minutes; undefined without a word count. */
export const minutesOf = ({ word_count }: LocalArticle): number | undefined =>
  word_count ? Math.max(1, Math.round(word_count / WORDS_PER_MINUTE)) : undefined;

/** The percentage read; undefined without a word count or if nothing is read. */
export const percentOf = ({ word_count, read_position }: LocalArticle): number | undefined =>
  word_count && read_position ? Math.min(100, Math.round((read_position / word_count) * 100)) : undefined;
