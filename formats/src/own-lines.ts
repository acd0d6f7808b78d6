import type { Entry, EntryFields } from './entry.js';
import { isObject, type JsonObject } from './json.js';
import { ReadError } from './read-error.js';

/** The format of `user export`: its name for `--format`, and for people. */
export const OWN_FORMAT = { name: 'lines', label: 'Reading list (JSON lines)' } as const;

/** A line of `user export`. Throws a `ReadError` for any other. */
export function parseOwnLine(text: string, line: number): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ReadError('not JSON', { unit: 'line', number: line });
  }
  if (!isObject(value)) throw new ReadError('not an object', { unit: 'line', number: line });
  return value;
}

/** Whether a text begins like the output of `user export`: with the account. */
export const isOwnLines = (text: string): boolean => /^\s*\{\s*"account"\s*:\s*"[\da-f]{32}"/.test(text.slice(0, 1000));

/** The articles of an export; tombstones and accounts are left out. Throws a `ReadError` for a line that is none of these. */
export function* readOwnLines(text: string): Generator<Entry> {
  let [number, hasAccount] = [0, false];
  for (const line of text.split('\n')) {
    number++;
    if (line.trim() === '') continue;
    const value = parseOwnLine(line, number);
    const place = { unit: 'line', number } as const;
    hasAccount ||= 'account' in value;
    if (!hasAccount) throw new ReadError('the account is missing; is this the whole of a "user export"?', place);
    if ('account' in value || value.deleted === true) continue;
    // The other fields are checked like those of a request.
    const url = typeof value.url === 'string' ? value.url : '';
    yield { place, fields: { ...value, url } as unknown as EntryFields, leftOut: [] };
  }
}
