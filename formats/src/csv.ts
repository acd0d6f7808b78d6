import { type CsvError, type Info, parse } from 'csv-parse/browser/esm/sync';
import { ReadError } from './read-error.js';

/** The maximum length of a row in characters: anything longer is not a reading list. */
const MAX_ROW = 16 * 2 ** 20;
/** What begins a file: the names of the columns are in it. */
const MAX_HEADER = 65_536;
const DELIMITERS = [',', ';', '\t'];

export interface Row {
  line: number;
  cells: string[];
}

export interface Table {
  /** The names of the columns in lower case. */
  columns: ReadonlyMap<string, number>;
  rows: Row[];
  /** Why the rows after these cannot be read. */
  failure?: ReadError;
}

/**
 * Reads values separated by commas, semicolons or tabs (RFC 4180), as spreadsheets write them, too: with `sep=;` on the first line, and
 * with quotes where they should not be.
 */
export function readTable(text: string): Table {
  const [said, named] = /^"?sep=([^\r\n])"?\r?\n/i.exec(text) ?? [''];
  const rest = text.slice(said.length);
  const { rows, failure } = readRows(rest, named ?? delimiterOf(rest), said === '' ? 1 : 2);
  const header = rows.shift();
  const columns = new Map(header?.cells.map((name, at) => [name.trim().replace(/\s+/g, ' ').toLowerCase(), at]));
  return { columns, rows, failure };
}

/** The delimiter that gives most columns. */
function delimiterOf(text: string): string {
  const beginning = text.slice(0, MAX_HEADER);
  const counts = DELIMITERS.map((delimiter) => readRows(beginning, delimiter, 1, 1).rows[0]?.cells.length ?? 0);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

function readRows(text: string, delimiter: string, firstLine: number, most = -1): Pick<Table, 'rows' | 'failure'> {
  const rows: Row[] = [];
  let line = firstLine;
  const on_record = (row: unknown, info: Info) => {
    // With `info`, some versions of the parser wrap the row.
    const cells = Array.isArray(row) ? (row as string[]) : (row as { record: string[] }).record;
    if (cells.some((cell) => cell.trim() !== '')) rows.push({ line, cells });
    line = firstLine + info.lines;
    return null;
  };
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: MAX_ROW,
      to: most,
      on_record,
    });
    return { rows };
  } catch (error) {
    return { rows, failure: refusal(error as CsvError, line) };
  }
}

function refusal(error: CsvError, line: number): ReadError {
  const place = { unit: 'line', number: line } as const;
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new ReadError('a quoted field that is never closed', place);
  return new ReadError(error.code === 'CSV_MAX_RECORD_SIZE' ? 'too long' : error.message, place);
}
