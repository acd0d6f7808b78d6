import type { LocalArticle } from '@reading-list/client';
import { titleOf } from '../list/article-facts';
import { webLink } from '../platform/links';

/** The export formats. */
export const EXPORTS = {
  lines: { name: 'reading-list.jsonl', type: 'application/jsonl', write: toLines },
  csv: { name: 'reading-list.csv', type: 'text/csv', write: toCsv },
  bookmarks: { name: 'reading-list.html', type: 'text/html', write: toBookmarks },
} as const;

/**
 * The format of `user export`, with all fields. The account in the first line is a placeholder; `user import` needs an
 * option that names the user.
 */
export function toLines(articles: readonly LocalArticle[]): string {
  const account = { account: '0'.repeat(32), last_modified: 0, purged_until: 0 };
  const items = articles.map(({ key: _key, pending: _pending, ...article }) => ({
    ...article,
    id: article.id ?? newId(),
    last_modified: article.last_modified ?? article.added_on,
    stored_on: article.stored_on ?? article.added_on,
  }));
  return [account, ...items].map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** A random UUID, version 4. `crypto.randomUUID` is missing in pages over plain HTTP. */
function newId(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'));
  return hex.join('').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** Pocket's columns, which many programs can read, and those that the import needs to make the same articles of them. */
export function toCsv(articles: readonly LocalArticle[]): string {
  const rows = articles.map((article) => [
    titleOf(article),
    article.url,
    String(Math.floor(article.added_on / 1000)),
    '',
    article.archived || !article.unread ? 'archive' : 'unread',
    ...[article.favorite, article.unread, article.archived].map(String),
  ]);
  return [['title', 'url', 'time_added', 'tags', 'status', 'favorite', 'unread', 'archived'], ...rows]
    .map((row) => `${row.map(csvField).join(',')}\r\n`)
    .join('');
}

/** Escapes text that spreadsheets would run as a formula; the import takes the apostrophe away again. */
function csvField(text: string): string {
  const harmless = /^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * The bookmarks file that browsers read (the Netscape format). Only URLs of web pages, as a bookmark could be a script.
 */
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

/** Downloads a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
