import { UsageError } from '../command.js';
import type { Bookmark } from './bookmark.js';
import { readBookmarksHtml } from './bookmarks-html.js';
import { readInstapaperCsv } from './instapaper-csv.js';
import { readPocketCsv } from './pocket-csv.js';

/** The files of other services that can be read, by the name that `--format` takes. */
export const BOOKMARK_FORMATS: Readonly<Record<string, (text: string) => Bookmark[]>> = {
  pocket: readPocketCsv,
  instapaper: readInstapaperCsv,
  bookmarks: readBookmarksHtml,
};

/** The format of `user export`. */
export const OWN_FORMAT = 'lines';

/** The format that a file with this first line has. Throws `UsageError` when it looks like none. */
export function formatOf(firstLine: string): string {
  const start = firstLine
    .replace(/^\uFEFF/, '')
    .trimStart()
    .toLowerCase();
  if (start.startsWith('{')) return OWN_FORMAT;
  if (start.startsWith('<')) return 'bookmarks';
  if (start.startsWith('url,')) return 'instapaper';
  if (start.split(',').includes('time_added')) return 'pocket';
  const known = [OWN_FORMAT, ...Object.keys(BOOKMARK_FORMATS)].join(', ');
  throw new UsageError(`The file looks like none that can be read; say --format (${known}) if it is one.`);
}
