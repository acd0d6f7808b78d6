import type { Bookmark } from './bookmark.js';
import { readBookmarksHtml } from './bookmarks-html.js';
import { readInstapaperCsv } from './instapaper-csv.js';
import type { TextChunks } from './lines.js';
import { readPocketCsv } from './pocket-csv.js';

/** Readers for files of other services, by the value of `--format`. */
export const BOOKMARK_FORMATS: Readonly<Record<string, (chunks: TextChunks) => AsyncGenerator<Bookmark>>> = {
  pocket: readPocketCsv,
  instapaper: readInstapaperCsv,
  bookmarks: readBookmarksHtml,
};

/** The format of `user export`. */
export const OWN_FORMAT = 'lines';

/** The names of all formats. */
export const FORMATS: readonly string[] = [OWN_FORMAT, ...Object.keys(BOOKMARK_FORMATS)];

/** Detects the format of a file by its beginning; undefined if unknown. */
export function formatOf(beginning: string): string | undefined {
  const start = beginning
    .replace(/^\uFEFF/, '')
    .trimStart()
    .toLowerCase();
  if (start.startsWith('{')) return OWN_FORMAT;
  if (start.startsWith('<')) return 'bookmarks';
  const columns = start.split(/\r?\n/, 1)[0]!.replaceAll('"', '').split(/[,;]/);
  if (columns[0] === 'url') return 'instapaper';
  return columns.includes('time_added') ? 'pocket' : undefined;
}
