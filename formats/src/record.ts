import { type Entry, entryOf, type LeftOut, textOf } from './entry.js';
import { unescapeFormulas } from './formulas.js';
import { readNumber } from './numbers.js';
import type { Place } from './read-error.js';

/** A column, or the way to a member of a JSON object (`content.url`); of several, the first that is not blank. */
type Path = string | readonly string[];

/** Where a yes or no is (of several, the first that is not blank), and the words that mean yes; without words those of `true` in any language. */
type Flag = readonly [path: Path, ...words: string[]];

/** A format of rows or objects: where in them the fields of an article are. */
export interface RecordFormat {
  /** The value of `--format`. */
  name: string;
  label: string;
  /** The columns, or members of each object, by which the format is known; the format with most of them is chosen. */
  keys: readonly string[];
  /** The objects in a JSON document, undefined if it is another's; a format without this is a table. */
  records?: (document: unknown) => readonly unknown[] | undefined;
  url: Path;
  title?: Path;
  resolved_url?: Path;
  preview?: Path;
  excerpt?: Path;
  word_count?: Path;
  read_position?: Path;
  /** How much is read, and the number that means all of it. */
  progress?: readonly [path: string, whole: number];
  added_on?: Path;
  marked_read_on?: Path;
  archived?: Flag;
  favorite?: Flag;
  read?: Flag;
  unread?: Flag;
  /** What articles have no field for, and the words there that mean nothing. */
  leftOut?: Partial<Record<LeftOut, readonly [path: string, ...words: string[]]>>;
  /** Columns, or members, that say nothing of an article. */
  ignored?: readonly string[];
  isDayFirst?: true;
  /** Texts have an apostrophe where a spreadsheet would run them as a formula. */
  isEscaped?: true;
}

/** All paths that a format knows. */
export function pathsOf(format: RecordFormat): string[] {
  const { url, title, resolved_url, preview, excerpt, word_count, read_position, added_on, marked_read_on } = format;
  const { progress, archived, favorite, read, unread, leftOut = {}, keys, ignored = [] } = format;
  const plain = [url, title, resolved_url, preview, excerpt, word_count, read_position, added_on, marked_read_on];
  const first = [progress, archived, favorite, read, unread, ...Object.values(leftOut)].map((told) => told?.[0]);
  return [...plain, ...first, keys, ignored].flatMap((path: Path = []) => path);
}

/** The value at a path of a row or an object. */
export type Get = (path: string) => unknown;

/** A spreadsheet translates `true` when it saves a file. */
const TRUE_ELSEWHERE =
  'wahr vrai verdadero vero waar verdadeiro prawda pravda истина істина sant sand sann tosi igaz doğru adevărat istina';
export const YES = ['true', '1', 'yes', ...TRUE_ELSEWHERE.split(' ')];

/** The entry that a row or an object is. */
export function entryOfRecord(format: RecordFormat, place: Place, get: Get): Entry {
  const value = (path: Path | undefined): unknown =>
    [path ?? []]
      .flat()
      .map(get)
      .find((found) => !isBlank(found));
  const text = (path: Path | undefined): string => {
    const found = textOf(value(path));
    return format.isEscaped ? unescapeFormulas(found) : found;
  };
  const flag = (told: Flag | undefined): boolean | undefined => {
    const [path, ...words] = told ?? [];
    const found = value(path);
    return found === undefined ? undefined : (words.length > 0 ? words : YES).includes(wordOf(found));
  };
  const [progressPath, whole] = format.progress ?? [undefined, 1];
  const progress = textOf(value(progressPath));
  return entryOf(place, {
    url: text(format.url),
    title: text(format.title),
    resolvedUrl: text(format.resolved_url),
    preview: text(format.preview),
    excerpt: text(format.excerpt),
    wordCount: value(format.word_count),
    position: value(format.read_position),
    progress: progress === '' ? 0 : (readNumber(progress) ?? NaN) / whole,
    addedOn: value(format.added_on),
    readOn: value(format.marked_read_on),
    isDayFirst: format.isDayFirst,
    isArchived: flag(format.archived),
    isFavorite: flag(format.favorite),
    isRead: flag(format.read),
    isUnread: flag(format.unread),
    leftOut: leftOutOf(format, get),
  });
}

/** The fields of which the first column that is not blank is taken. */
const ONE_OF_SEVERAL = ['title', 'resolved_url', 'preview', 'word_count', 'read_position', 'added_on'] as const;

function leftOutOf(format: RecordFormat, get: Get): LeftOut[] {
  const hasSeveral = (path: Path = []) =>
    new Set(
      [path]
        .flat()
        .map((one) => textOf(get(one)))
        .filter(Boolean),
    ).size > 1;
  const told = Object.entries(format.leftOut ?? {}) as [LeftOut, readonly [path: string, ...words: string[]]][];
  const lost = told.filter(([, [path, ...words]]) => !isBlank(get(path)) && !words.includes(wordOf(get(path))));
  return [
    ...lost.map(([what]) => what),
    ...(hasSeveral(format.excerpt) ? (['second description'] as const) : []),
    ...(ONE_OF_SEVERAL.some((field) => hasSeveral(format[field])) ? (['other columns'] as const) : []),
  ];
}

const wordOf = (value: unknown): string => String(value).trim().toLowerCase();

export function isBlank(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || (typeof value === 'string' && ['', '[]'].includes(value.trim()));
}
