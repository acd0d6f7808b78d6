import { type CsvError, type Info, parse } from 'csv-parse/browser/esm/sync';
import { ReadError } from './read-error.js';

/** The maximum length of a row in characters: anything longer is not a reading list. */
const MAX_ROW = 16 * 2 ** 20;
/** The beginning of a file, with the names of the columns. */
const MAX_HEADER = 65_536;
const DELIMITERS = [',', ';', '\t'];

/** Why a row that took in others cannot be read. */
export const NEVER_CLOSED = 'a quotation mark that is never closed';

export interface Row {
  line: number;
  cells: string[];
  /** Why the cells are not the values of the columns. */
  problem?: string;
}

export interface Table {
  /** The names of the columns in lower case. */
  columns: ReadonlyMap<string, number>;
  delimiter: string;
  rows: Row[];
  /** Why the rows after these cannot be read. */
  failure?: ReadError;
}

/**
 * Reads values separated by commas, semicolons or tabs (RFC 4180), as spreadsheets write them, too: with `sep=;` on the first line, and
 * with quotes where they should not be. With a single column, a delimiter is part of the value.
 */
export function readTable(text: string): Table {
  const [said, named] = /^"?sep=([^\r\n])"?\r?\n/i.exec(text) ?? [''];
  const rest = text.slice(said.length);
  const delimiter = named ?? delimiterOf(rest);
  const { rows, failure } = readRows(rest, delimiter, said === '' ? 1 : 2);
  const header = rows.shift();
  const width = header?.cells.length ?? 0;
  for (const row of rows) {
    if (width === 1) row.cells = [row.cells.join(delimiter)];
    if (row.cells.slice(width).some((cell) => cell.trim() !== '')) row.problem ??= 'more values than columns';
  }
  const columns = new Map(header?.cells.map((name, at) => [name.trim().replace(/\s+/g, ' ').toLowerCase(), at]));
  return { columns, delimiter, rows, failure };
}

/** The delimiter that gives most columns. */
function delimiterOf(text: string): string {
  const beginning = text.slice(0, MAX_HEADER);
  const counts = DELIMITERS.map((delimiter) => readRows(beginning, delimiter, 1, 1).rows[0]?.cells.length ?? 0);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

function readRows(text: string, delimiter: string, firstLine: number, most = -1): Pick<Table, 'rows' | 'failure'> {
  const rows: Row[] = [];
  let [line, blank] = [firstLine, 0];
  const on_record = (row: unknown, { empty_lines }: Info) => {
    const { record: cells, raw } = row as { record: string[]; raw: string };
    line += empty_lines - blank;
    blank = empty_lines;
    const problem = hasRunOn(cells, raw) ? NEVER_CLOSED : undefined;
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells, problem });
    line += lineEndsOf(raw);
    return null;
  };
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      raw: true,
      skip_empty_lines: true,
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: MAX_ROW,
      to: most,
      on_record,
    });
    return { rows };
  } catch (error) {
    const { empty_lines } = error as CsvError;
    return { rows, failure: refusal(error as CsvError, line + Number(empty_lines) - blank) };
  }
}

/** How many lines a row ends, with those in its cells: the parser counts CRLF in a cell twice. Blank lines come before it. */
const lineEndsOf = (raw: string): number => raw.replace(/^[\r\n]+/, '').split(/\r\n|\n|\r/).length - 1;

/** Whether a cell begins with a quotation mark that another row's ended: one that is part of a value is doubled in the text. */
function hasRunOn(cells: string[], raw: string): boolean {
  let from = 0;
  for (const cell of cells) {
    if (!/^"[^]*[\r\n]/.test(cell)) continue;
    const quoted = `"${cell.replaceAll('"', '""')}"`;
    const at = raw.indexOf(quoted, from);
    if (at < 0) return true;
    from = at + quoted.length;
  }
  return false;
}

function refusal(error: CsvError, line: number): ReadError {
  const place = { unit: 'line', number: line } as const;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new ReadError('a quoted field that is never closed', place);
  return new ReadError(error.code === 'CSV_MAX_RECORD_SIZE' ? 'too long' : error.message, place);
}
