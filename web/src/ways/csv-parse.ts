import './buffer';
import { type CsvError, type Info, type Options, parse as parseAll } from 'csv-parse/sync';

/** A parsed row, as with `info: true` in Node. */
interface Row {
  info: Info;
  record: string[];
}

/**
 * The part of `csv-parse` that the shared readers use, without Node's streams, which alone would be larger than the
 * application.
 */
export function parse(options: Options) {
  let text = '';
  let failure: Error | undefined;
  let onEnd: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (onEnd = resolve));
  return {
    write: (chunk: string, done: () => void) => {
      text += chunk;
      done();
    },
    end: () => onEnd(),
    destroy: (error: Error) => {
      failure = error;
      onEnd();
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
      await ended;
      if (failure) throw failure;
      const rows: Row[] = [];
      const problem = collect(text, options, rows);
      yield* rows;
      if (problem) throw problem;
    },
  };
}

/** Collects the rows, including those before an error; returns the error. */
function collect(text: string, options: Options, rows: Row[]): CsvError | undefined {
  const on_record = (record: unknown, info: Info) => {
    // With `info`, some versions of the parser wrap the row.
    rows.push({ info, record: Array.isArray(record) ? (record as string[]) : (record as Row).record });
    return null;
  };
  try {
    (parseAll as (text: string, options: object) => unknown)(text, { ...options, on_record });
    return undefined;
  } catch (error) {
    return error as CsvError;
  }
}

export type { CsvError, Info };
