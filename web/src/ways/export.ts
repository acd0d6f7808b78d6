import type { LocalArticle } from '@reading-list/client';
import { titleOf } from '../list/article-facts';
import { webLink } from '../platform/links';

/** The files that the list can become. */
export const EXPORTS = {
  lines: { name: 'reading-list.jsonl', type: 'application/jsonl', write: toLines },
  csv: { name: 'reading-list.csv', type: 'text/csv', write: toCsv },
  bookmarks: { name: 'reading-list.html', type: 'text/html', write: toBookmarks },
} as const;

/** The form of `user export`: all fields. The account in the first line is none; `user import` is told for whom it is. */
export function toLines(articles: readonly LocalArticle[]): string {
  const account = { account: '0'.repeat(32), last_modified: 0, purged_until: 0 };
  const items = articles.map(({ key: _key, pending: _pending, ...article }) => ({
    ...article,
    id: article.id ?? crypto.randomUUID(),
    last_modified: article.last_modified ?? article.added_on,
    stored_on: article.stored_on ?? article.added_on,
  }));
  return [account, ...items].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Pocket's columns, which many programs read, and one more. */
export function toCsv(articles: readonly LocalArticle[]): string {
  const rows = articles.map((article) => [
    titleOf(article),
    article.url,
    String(Math.floor(article.added_on / 1000)),
    '',
    article.archived || !article.unread ? 'archive' : 'unread',
    String(article.favorite),
  ]);
  return [['title', 'url', 'time_added', 'tags', 'status', 'favorite'], ...rows]
    .map((row) => `${row.map(csvField).join(',')}\r\n`)
    .join('');
}

/** Spreadsheets run what begins like a formula. */
function csvField(text: string): string {
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The bookmarks file that browsers read (Netscape's format). Only addresses of web pages: a bookmark can be a script. */
export function toBookmarks(articles: readonly LocalArticle[]): string {
  const lines = articles.flatMap((article) => {
    const href = webLink(article.url);
    if (href === undefined) return [];
    const seconds = Math.floor(article.added_on / 1000);
    const toRead = article.unread ? 1 : 0;
    return `  <DT><A HREF="${escapeHtml(article.url)}" ADD_DATE="${seconds}" TOREAD="${toRead}">${escapeHtml(titleOf(article))}</A>\n`;
  });
  const head =
    '<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n';
  return `${head}<TITLE>Reading list</TITLE>\n<H1>Reading list</H1>\n<DL><p>\n${lines.join('')}</DL><p>\n`;
}

const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** Gives the browser a file to keep. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
