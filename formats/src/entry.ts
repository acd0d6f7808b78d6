import { readDate } from './dates.js';
import { readNumber } from './numbers.js';
import type { Place } from './read-error.js';

/** The fields of an article that export files tell of (docs/protocol.md, "Articles"). */
export interface EntryFields {
  url: string;
  title: string | null;
  resolved_url?: string;
  resolved_title?: string | null;
  preview?: string | null;
  excerpt?: string;
  archived?: boolean;
  favorite?: boolean;
  unread?: boolean;
  is_article?: boolean;
  word_count?: number | null;
  read_position?: number;
  added_by?: string;
  added_on?: number;
  marked_read_by?: string | null;
  marked_read_on?: number | null;
}

/** What an entry may have for which an article has no field. */
export type LeftOut =
  | 'tags'
  | 'folder'
  | 'highlights'
  | 'second description'
  | 'the text of the page'
  | 'reading progress'
  | 'picture'
  | 'second address'
  | 'word count'
  | 'other columns'
  | 'the end of a long text';

/** An entry of an export file. */
export interface Entry {
  place: Place;
  fields: EntryFields;
  leftOut: LeftOut[];
  /** Why there is no `added_on`: nothing is said, or nothing that can be read. */
  date?: 'missing' | 'unreadable';
  /** Why it cannot be an article. */
  problem?: string;
}

/** What a format says of an entry, in the words of the file. */
export interface Told {
  url: unknown;
  title?: unknown;
  resolvedUrl?: unknown;
  preview?: unknown;
  excerpt?: unknown;
  wordCount?: unknown;
  position?: unknown;
  /** A part of the whole, from 0 to 1; NaN if it cannot be read. */
  progress?: number;
  addedOn?: unknown;
  readOn?: unknown;
  isDayFirst?: boolean;
  isArchived?: boolean;
  isFavorite?: boolean;
  isRead?: boolean;
  isUnread?: boolean;
  leftOut: LeftOut[];
}

/** The limits of an article in code points (`src/protocol/fields.ts`). */
export const MAX_TITLE = 1024;
export const MAX_EXCERPT = 16_000;

/** The entry that a format tells of. What is archived counts as read, unless the format tells them apart. */
export function entryOf(place: Place, told: Told): Entry {
  const entry: Entry = { place, fields: { url: textOf(told.url), title: null }, leftOut: [...told.leftOut] };
  const { fields } = entry;
  fields.title = titleOf(textOf(told.title), entry) || firstCharacters(fields.url, MAX_TITLE);
  fields.excerpt = excerptOf(textOf(told.excerpt), entry);
  fields.archived = told.isArchived ?? false;
  fields.favorite = told.isFavorite ?? false;
  addUrls(entry, told);
  addDates(entry, told);
  const isRead = told.isRead || fields.marked_read_on !== undefined || (told.progress ?? 0) >= 1 || fields.archived;
  fields.unread = told.isUnread ?? !isRead;
  addPosition(entry, told);
  return entry;
}

export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';

function titleOf(text: string, { leftOut }: Entry): string {
  const title = firstCharacters(text, MAX_TITLE);
  if (title.length < text.length) leftOut.push('the end of a long text');
  return title.trim();
}

/** The service cuts it. */
function excerptOf(excerpt: string, { leftOut }: Entry): string | undefined {
  if (firstCharacters(excerpt, MAX_EXCERPT).length < excerpt.length) leftOut.push('the end of a long text');
  return excerpt === '' ? undefined : excerpt;
}

/** The first characters (code points), without splitting a text of megabytes. */
const firstCharacters = (text: string, most: number): string =>
  text.length <= most ? text : [...text.slice(0, 2 * most)].slice(0, most).join('');

/** A picture or a second URL that is not valid should not cost the article. */
function addUrls({ fields, leftOut }: Entry, { resolvedUrl, preview }: Told): void {
  const [resolved, picture] = [textOf(resolvedUrl), textOf(preview)];
  if (resolved !== fields.url && isWebUrl(resolved)) fields.resolved_url = resolved;
  else if (resolved !== fields.url && resolved !== '') leftOut.push('second address');
  if (isWebUrl(picture)) fields.preview = picture;
  else if (picture !== '') leftOut.push('picture');
}

const isWebUrl = (url: string): boolean => url.length <= 2048 && /^https?:\/\/[^\s/?#\\]+[^\s]*$/i.test(url);

function addDates(entry: Entry, { addedOn, readOn, isDayFirst }: Told): void {
  const { fields } = entry;
  fields.added_on = readDate(addedOn, isDayFirst);
  if (fields.added_on === undefined) entry.date = textOf(addedOn) === '' ? 'missing' : 'unreadable';
  fields.marked_read_on = readDate(readOn, isDayFirst);
}

function addPosition({ fields, leftOut }: Entry, { wordCount, position, progress = 0 }: Told): void {
  fields.word_count = integerOf(wordCount);
  fields.read_position = integerOf(position);
  if (fields.word_count === undefined && textOf(wordCount) !== '') leftOut.push('word count');
  if (fields.read_position === undefined && textOf(position) !== '') leftOut.push('reading progress');
  if (progress <= 0 || progress >= 1) return;
  if (fields.word_count && !Number.isNaN(progress)) fields.read_position ??= Math.round(progress * fields.word_count);
  else leftOut.push('reading progress');
}

function integerOf(value: unknown): number | undefined {
  const number = readNumber(textOf(value));
  return Number.isSafeInteger(number) ? number : undefined;
}
