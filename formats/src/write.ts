import type { EntryFields } from './entry.js';
import { escapeFormulas } from './formulas.js';

/** An article as it is stored, with what only the service gives it. */
export type StoredArticle = Required<EntryFields> & { id: string; last_modified: number; stored_on: number };

/** What the files take from an article. */
type Written = Pick<
  StoredArticle,
  'url' | 'title' | 'resolved_url' | 'preview' | 'excerpt' | 'word_count' | 'read_position' | 'added_on'
> &
  Pick<StoredArticle, 'archived' | 'favorite' | 'unread'>;

/**
 * The format of `user export`, with all fields. The account in the first line is a placeholder; `user import` needs an option that names
 * the user.
 */
export function toLines(articles: readonly StoredArticle[]): string {
  const account = { account: '0'.repeat(32), last_modified: 0, purged_until: 0 };
  return [account, ...articles].map((line) => `${JSON.stringify(line)}\n`).join('');
}

const COLUMNS: readonly [name: string, value: (article: Written) => string | number | boolean | null][] = [
  ['title', ({ title }) => title],
  ['url', ({ url }) => url],
  ['time_added', ({ added_on }) => secondsOf(added_on)],
  ['tags', () => ''],
  ['status', ({ archived, unread }) => (archived || !unread ? 'archive' : 'unread')],
  ['favorite', ({ favorite }) => favorite],
  ['unread', ({ unread }) => unread],
  ['archived', ({ archived }) => archived],
  ['excerpt', ({ excerpt }) => excerpt],
  ['preview', ({ preview }) => preview],
  ['word_count', ({ word_count }) => word_count],
  ['resolved_url', ({ resolved_url }) => resolved_url],
  ['read_position', ({ read_position }) => read_position],
];

/** Pocket's columns, which many programs can read, and those that the import needs to make the same articles of them. */
export function toCsv(articles: readonly Written[]): string {
  const header = COLUMNS.map(([name]) => name);
  const rows = articles.map((article) => COLUMNS.map(([, value]) => csvField(String(value(article) ?? ''))));
  return [header, ...rows].map((row) => `${row.join(',')}\r\n`).join('');
}

function csvField(text: string): string {
  const harmless = escapeFormulas(text);
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The bookmarks file that browsers read (the Netscape format). Only URLs of web pages, as a bookmark could be a script. */
export function toBookmarks(articles: readonly Written[]): string {
  const lines = articles.filter(({ url }) => /^https?:\/\//i.test(url)).map(bookmarkOf);
  const head =
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n';
  return `${head}<TITLE>Reading list</TITLE>\n<H1>Reading list</H1>\n<DL><p>\n${lines.join('')}</DL><p>\n`;
}

function bookmarkOf({ url, title, excerpt, added_on, unread, favorite }: Written): string {
  const important = favorite ? ' DATA-IMPORTANT="true"' : '';
  const attributes = `HREF="${escapeHtml(url)}" ADD_DATE="${secondsOf(added_on)}" TOREAD="${unread ? 1 : 0}"${important}`;
  const description = excerpt === '' ? '' : `  <DD>${escapeHtml(excerpt)}\n`;
  return `  <DT><A ${attributes}>${escapeHtml(title ?? url)}</A>\n${description}`;
}

const secondsOf = (timestamp: number): number => Math.floor(timestamp / 1000);

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
