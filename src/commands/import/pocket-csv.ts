import { type Bookmark, fromSeconds } from './bookmark.js';
import { csvRecords } from './csv.js';

/** Pocket's export (`title,url,time_added,tags,status`); `archive` is what was read. Tags have no place here. */
export const readPocketCsv = (text: string): Bookmark[] =>
  csvRecords(text).map(({ url = '', title = '', time_added, status }) => ({
    url,
    title,
    addedOn: fromSeconds(time_added),
    isUnread: status !== 'archive',
    isArchived: status === 'archive',
  }));
