import { type Bookmark, fromSeconds } from './bookmark.js';
import { csvRecords } from './csv.js';

/** Instapaper's export (`URL,Title,Selection,Folder,Timestamp`); of the folders, `Archive` and `Starred` have a meaning. */
export const readInstapaperCsv = (text: string): Bookmark[] =>
  csvRecords(text).map(({ url = '', title = '', selection, folder, timestamp }) => ({
    url,
    title,
    addedOn: fromSeconds(timestamp),
    isUnread: folder !== 'Archive',
    isArchived: folder === 'Archive',
    isFavorite: folder === 'Starred',
    excerpt: selection,
  }));
