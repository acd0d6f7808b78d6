import type { LocalArticle } from '@reading-list/client';
import { type StoredArticle, toBookmarks, toCsv, toLines } from '@reading-list/formats/write';

/** The export formats. */
export const EXPORTS = {
  lines: {
    name: 'reading-list.jsonl',
    type: 'application/jsonl',
    write: (articles: readonly LocalArticle[]) => toLines(articles.map(storedArticle)),
  },
  csv: {
    name: 'reading-list.csv',
    type: 'text/csv',
    write: (articles: readonly LocalArticle[]) => toCsv(articles.map(withTitle)),
  },
  bookmarks: {
    name: 'reading-list.html',
    type: 'text/html',
    write: (articles: readonly LocalArticle[]) => toBookmarks(articles.map(withTitle)),
  },
} as const;

/** With the page's own title if the user gave none, but not with the URL as one: nobody would look up a title then. */
const withTitle = (article: LocalArticle): LocalArticle => ({
  ...article,
  title: article.title || article.resolved_title,
});

/** The article as the service stores it; what has not been sent yet gets what the service would give it. */
function storedArticle({ key: _key, pending: _pending, ...article }: LocalArticle): StoredArticle {
  return {
    ...article,
    id: article.id ?? newId(),
    last_modified: article.last_modified ?? article.added_on,
    stored_on: article.stored_on ?? article.added_on,
  };
}

/** A random UUID, version 4. `crypto.randomUUID` is missing in pages over plain HTTP. */
function newId(): string {
  const hex = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'));
  return hex.join('').replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

/** Downloads a text as a file. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
