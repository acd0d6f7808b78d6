import { isBookmarksHtml, readBookmarksHtml } from './bookmarks-html.js';
import { NEVER_CLOSED, readTable, type Row } from './csv.js';
import { decode } from './decode.js';
import { type Entry, entryOf } from './entry.js';
import { RECORD_FORMATS } from './formats.js';
import { isObject, valueAt } from './json.js';
import { isOwnLines, OWN_FORMAT, readOwnLines } from './own-lines.js';
import { ReadError } from './read-error.js';
import { entryOfRecord, isBlank, pathsOf, type RecordFormat } from './record.js';
import { isZip, unzip } from './unzip.js';

const HTML_FORMAT = { name: 'bookmarks', label: 'bookmarks (HTML)' } as const;
const URLS_FORMAT = { name: 'urls', label: 'one URL per line' } as const;

/** All formats: their names for `--format`, and for people. */
export const FORMATS: readonly { name: string; label: string }[] = [
  OWN_FORMAT,
  ...RECORD_FORMATS,
  HTML_FORMAT,
  URLS_FORMAT,
];

/** What is in a file. */
export interface Contents {
  /** The name of its format, the first one in an archive. */
  format: string;
  entries: Entry[];
  /** Why what comes after these cannot be read. */
  stoppedAt?: ReadError;
  /** Files of an archive that are not exports: pages, pictures. */
  others: string[];
  /** Files of an archive that look like exports, and cannot be read. */
  unreadable: string[];
}

/** The file is not an export that can be read. */
export class UnknownExport extends ReadError {
  constructor() {
    super('not an export that can be read');
  }
}

/**
 * Reads an export file of any format, or of the one that is wanted. Throws `UnknownExport` for a file of none, and `ReadError` for a
 * file that is not of the wanted one.
 */
export function readExport(bytes: Uint8Array, wanted?: string): Contents {
  if (bytes.length === 0) throw new ReadError('the file is empty');
  return isZip(bytes) ? readArchive(bytes, wanted) : { ...readText(decode(bytes), wanted), others: [], unreadable: [] };
}

type TextContents = Omit<Contents, 'others' | 'unreadable'>;

/** Where exports keep copies of pages and lists of highlights, and macOS its own files. */
const BESIDE = /(?:^|\/)(?:content|highlights|annotations|collections|__MACOSX)\/|(?:^|\/)\.[^./]/i;

/** Files of data, as opposed to pages and notes. */
const DATA = /\.(?:csv|tsv|json|jsonl)$/i;

function readArchive(bytes: Uint8Array, wanted?: string): Contents {
  const { files, others } = unzip(
    bytes,
    (name) => !BESIDE.test(name) && /\.(?:csv|tsv|txt|json|jsonl|html?)$/i.test(name),
  );
  const all: Contents = { format: '', entries: [], others, unreadable: [] };
  for (const { name, bytes: unpacked } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const text = decode(unpacked);
    const contents = /^\s*</.test(text) && !isBookmarksHtml(text) ? undefined : readPart(text, wanted);
    if (!contents) {
      (DATA.test(name) ? all.unreadable : others).push(name);
      continue;
    }
    all.format ||= contents.format;
    for (const entry of contents.entries) all.entries.push({ ...entry, place: { ...entry.place, file: name } });
    all.stoppedAt ??= contents.stoppedAt && inFile(name, contents.stoppedAt);
  }
  if (others.includes('xl/workbook.xml')) throw new ReadError('an Excel workbook: save it as CSV with a column "url"');
  if (all.format === '') throw wanted ? new ReadError('no file in the archive is of this format') : new UnknownExport();
  return all;
}

/** The contents of a file in an archive; undefined if it is not an export. */
function readPart(text: string, wanted?: string): TextContents | undefined {
  try {
    return readText(text, wanted);
  } catch (error) {
    if (error instanceof ReadError) return undefined;
    throw error;
  }
}

const inFile = (file: string, { reason, place }: ReadError): ReadError =>
  new ReadError(reason, { unit: 'line', number: 1, ...place, file });

function readText(text: string, wanted?: string): TextContents {
  const start = text.trimStart();
  if (wanted === OWN_FORMAT.name || (!wanted && isOwnLines(start)))
    return collected(OWN_FORMAT.name, readOwnLines(text));
  if (wanted === HTML_FORMAT.name || (!wanted && start.startsWith('<'))) return readHtml(text, wanted);
  if (wanted === URLS_FORMAT.name || (!wanted && isUrl(firstLineOf(start)) && !isRows(start))) return readUrls(text);
  const format = RECORD_FORMATS.find(({ name }) => name === wanted);
  if (format ? format.records : /^[[{]/.test(start)) return readJson(text, format);
  return readRows(text, format);
}

function collected(format: string, entries: Iterable<Entry>): TextContents {
  const contents: TextContents = { format, entries: [] };
  try {
    for (const entry of entries) contents.entries.push(entry);
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    contents.stoppedAt = error;
  }
  return contents;
}

function readHtml(text: string, wanted?: string): TextContents {
  if (!wanted && !isBookmarksHtml(text)) throw new UnknownExport();
  if (!/<(?:a|dl|!doctype|html)[\s>]/i.test(text)) throw new ReadError('not bookmarks: there is no link');
  return collected(HTML_FORMAT.name, readBookmarksHtml(text));
}

const isUrl = (line: string): boolean => /^[a-z][a-z\d+.-]*:\/\/\S+(?: \|(?: .*)?)?$/i.test(line.trim());
const firstLineOf = (text: string): string => text.split(/[\r\n]/, 1)[0]!;

/** Whether a delimiter and more follow the URL of every line: rows without the names of their columns. */
function isRows(text: string): boolean {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '');
  return (
    lines.length > 1 &&
    lines.every((line) => /^[a-z][a-z\d+.-]*:\/\/[^\s,;]+[,;]/i.test(line) && !/ \|(?: |$)/.test(line))
  );
}

/** One URL per line, after which OneTab writes ` | ` and the title. */
function readUrls(text: string): TextContents {
  const entries: Entry[] = [];
  for (const [at, line] of text.split(/\r\n|\n|\r/).entries()) {
    if (line.trim() === '') continue;
    const [url, ...title] = line.split(/ \|(?: |$)/);
    const { date: _, ...entry } = entryOf(
      { unit: 'line', number: at + 1 },
      { url, title: title.join(' | '), leftOut: [] },
    );
    entries.push(entry);
  }
  return { format: URLS_FORMAT.name, entries };
}

function readJson(text: string, wanted?: RecordFormat): TextContents {
  const document = parsed(text, wanted);
  for (const format of byKeys(wanted)) {
    const records = format.records?.(document);
    const hasKeys = (record: unknown) => isObject(record) && format.keys.every((key) => Object.hasOwn(record, key));
    if (!records?.slice(0, 100).some(hasKeys)) continue;
    const known = new Set(pathsOf(format).map((path) => path.split('.', 1)[0]));
    const entries = records.map((record, at) => {
      const entry = entryOfRecord(format, { unit: 'entry', number: at + 1 }, (path) => valueAt(record, path));
      const others = Object.entries(isObject(record) ? record : {}).filter(([name]) => !known.has(name));
      if (others.some(([, value]) => value !== false && !isBlank(value))) entry.leftOut.push('other columns');
      return entry;
    });
    return { format: format.name, entries };
  }
  throw wanted ? lacking(wanted, wanted.keys) : new UnknownExport();
}

function parsed(text: string, wanted?: RecordFormat): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw wanted ? new ReadError(`not JSON: ${(error as Error).message}`) : new UnknownExport();
  }
}

function readRows(text: string, wanted?: RecordFormat): TextContents {
  const { columns, delimiter, rows, failure } = readTable(text);
  if (columns.has('password') || columns.has('login_password'))
    throw new ReadError('these are passwords, not a reading list');
  const isThere = (key: string) => columns.has(key);
  const format = byKeys(wanted).find(({ keys, records }) => !records && keys.every(isThere));
  if (!format)
    throw wanted
      ? lacking(
          wanted,
          wanted.keys.filter((key) => !isThere(key)),
        )
      : new UnknownExport();
  const paths = new Set(pathsOf(format));
  const others = [...columns].filter(([name]) => !paths.has(name)).map(([, at]) => at);
  const urlAt = columns.get([format.url].flat()[0]!)!;
  /** Whether a line within a cell is the beginning of a row, up to its URL and on: a quotation mark there ended the cell. */
  const tookInRow = (cells: string[]): boolean =>
    cells.some((cell) =>
      linesAfterFirst(cell)
        .map((row) => row.split(delimiter))
        .some((values) => values.length > urlAt + 1 && isStartOfUrl(values[urlAt]!) && !/^\s/.test(values[urlAt + 1]!)),
    );
  /** Whether one in the title was ended only by that of a later row, where a URL follows a delimiter. */
  const tookInRows = ({ fields }: Entry): boolean =>
    linesAfterFirst(String(fields.title)).some((row) => row.split(delimiter).slice(1).some(isStartOfUrl));
  const entries = rows.map(({ line, cells, problem }: Row) => {
    const place = { unit: 'line', number: line } as const;
    const entry = entryOfRecord(format, place, (name) => cells[columns.get(name) ?? -1]);
    if (others.some((at) => (cells[at] ?? '').trim() !== '')) entry.leftOut.push('other columns');
    return { ...entry, problem: problem ?? (tookInRows(entry) || tookInRow(cells) ? NEVER_CLOSED : undefined) };
  });
  return { format: format.name, entries, stoppedAt: failure };
}

const linesAfterFirst = (cell: string): string[] => cell.split(/\r\n|\n|\r/).slice(1);
const isStartOfUrl = (text: string): boolean => /^[a-z][a-z\d+.-]*:\/\//i.test(text);

/** The formats to try: those that are known by more first. */
const byKeys = (wanted?: RecordFormat): readonly RecordFormat[] =>
  wanted ? [wanted] : RECORD_FORMATS.toSorted((a, b) => b.keys.length - a.keys.length);

function lacking({ label, records }: RecordFormat, keys: readonly string[]): ReadError {
  const names = new Intl.ListFormat('en').format(keys.map((key) => `"${key}"`));
  const lacks = records ? 'no entry has' : `it has no column${keys.length > 1 ? 's' : ''}`;
  return new ReadError(`not the format ${label}: ${lacks} ${names}`);
}
