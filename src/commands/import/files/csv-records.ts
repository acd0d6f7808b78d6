import { type CsvError, type Info, parse, type Parser } from 'csv-parse';
import { ImportFileError } from './import-file-error.js';
import { MAX_UNIT, type TextChunks } from './lines.js';

/** A row of the file: the line where it starts, and its fields by the lower-case names of the header. */
export interface CsvRecord {
  line: number;
  field: (name: string) => string | undefined;
}

interface Row {
  info: Info;
  record: string[];
}

/**
 * Reads comma-separated values (RFC 4180), or values separated by semicolons, as spreadsheets write them where the comma is the
 * decimal separator. Throws `ImportFileError` for a quote that is never closed or a row that is too long.
 */
export async function* csvRecords(chunks: TextChunks): AsyncGenerator<CsvRecord> {
  const text = headerFirst(chunks);
  const beginning = (await text.next()).value ?? '';
  const parser = parse({
    bom: true,
    delimiter: /^[^,\n]*;/.test(beginning) ? ';' : ',',
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: MAX_UNIT,
  });
  void feed(parser, beginning, text);
  let [columns, line] = [undefined as Map<string, number> | undefined, 1];
  try {
    for await (const { info, record } of parser as AsyncIterable<Row>) {
      const fields = columns;
      if (fields) yield { line, field: (name) => record[fields.get(name) ?? -1] };
      else columns = columnsOf(record);
      line = info.lines + 1;
    }
  } catch (error) {
    throw 'code' in (error as CsvError) ? refusal(error as CsvError, line) : error;
  }
}

function columnsOf(header: string[]): Map<string, number> {
  const columns = new Map(header.map((name, at) => [name.trim().toLowerCase(), at]));
  if (!columns.has('url')) throw new ImportFileError(1, 'no column has the name "url"');
  return columns;
}

/** The same text with the whole first line in the first chunk. */
async function* headerFirst(chunks: TextChunks): AsyncGenerator<string, void> {
  let [text, isPastHeader] = ['', false];
  for await (const chunk of chunks) {
    text += chunk;
    isPastHeader ||= text.includes('\n') || text.length > MAX_UNIT;
    if (!isPastHeader) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Writes everything to the parser, with backpressure; a failure ends the reading. */
async function feed(parser: Parser, beginning: string, rest: TextChunks): Promise<void> {
  const write = (chunk: string) =>
    new Promise<void>((resolve, reject) => parser.write(chunk, (error) => (error ? reject(error) : resolve())));
  try {
    await write(beginning);
    for await (const chunk of rest) await write(chunk);
    parser.end();
  } catch (error) {
    parser.destroy(error as Error);
  }
}

function refusal(error: CsvError, line: number): Error {
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new ImportFileError(line, 'a quoted field that is never closed');
  if (error.code === 'CSV_MAX_RECORD_SIZE') return new ImportFileError(line, 'too long');
  return error.code.startsWith('CSV_') ? new ImportFileError(line, error.message) : error;
}
