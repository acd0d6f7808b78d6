import { decode, parseOwnLine, ReadError } from '@reading-list/formats';
import { type Item, newArticle } from '../../articles/article.js';
import { isUsableTimestamp, type Timestamp } from '../../protocol/timestamp.js';
import { isUuid } from '../../protocol/uuid.js';
import { CommandError, counted } from '../shell.js';
import { type AccountState, type Destination, destinationOf, type ImportContext, printCounts } from './destination.js';

/** Imports what `user export` wrote, into the named account or those of the file. Resolves with the exit code. */
export async function importOwnLines(context: ImportContext, named: Buffer | undefined, lines: AsyncIterable<string>) {
  const { counts, original } = context;
  let [users, read] = [0, 0];
  /** By account: a file may hold one twice. */
  const destinations = new Map<string, Destination>();
  let current: { destination: Destination; state: AccountState } | undefined;
  try {
    for await (const line of readOwnLines(lines)) {
      if ('account' in line) {
        if (current && named) throw refusal(line.line, 'another user; leave out the user to import them all');
        await current?.destination.store(current.state);
        users++;
        const account = named ?? Buffer.from(line.account, 'hex');
        // Devices that have not seen what was purged start over.
        const initial = { last_modified: 0, purged_until: line.state.purged_until };
        const destination = destinations.get(line.account) ?? (await destinationOf(context, account, initial));
        destinations.set(line.account, destination);
        current = { destination, state: line.state };
      } else {
        await current?.destination.add(line.item);
        context.progress(`${++read} articles and tombstones of ${counted(users, 'user')} so far`);
      }
    }
    await current?.destination.store(current.state);
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    const done = original ? 'nothing was imported' : `${counts.stored} articles and tombstones were imported before`;
    throw new CommandError(`${error.message}; ${done}, and the import can be repeated`);
  }
  return printCounts(context, `${counts.stored} articles and tombstones of ${counted(users, 'user')}`);
}

type OwnLine = { line: number } & ({ account: string; state: AccountState } | { item: Item });

/** Reads the lines of `user export`. Throws `ReadError` for any other line. */
export async function* readOwnLines(lines: AsyncIterable<string>): AsyncGenerator<OwnLine> {
  let [line, hasAccount] = [0, false];
  for await (const text of lines) {
    line++;
    const json = text.replace(/^\uFEFF|\r$/g, '');
    if (json === '') continue;
    const read = readOwnLine(json, line);
    hasAccount ||= 'account' in read;
    if (!hasAccount) throw refusal(line, 'the account is missing; is this the whole of a "user export"?');
    yield read;
  }
}

const refusal = (line: number, reason: string): ReadError => new ReadError(reason, { unit: 'line', number: line });

function readOwnLine(text: string, line: number): OwnLine {
  const value = parseOwnLine(text, line);
  try {
    return { line, ...('account' in value ? readAccount(value) : { item: readItem(value) }) };
  } catch (error) {
    throw refusal(line, (error as Error).message);
  }
}

function readAccount(value: Record<string, unknown>) {
  const { account } = value;
  if (typeof account !== 'string' || !/^[0-9a-f]{32}$/.test(account)) throw new Error('account: not a key');
  const [clock, purged_until] = [readTimestamp(value, 'last_modified'), readTimestamp(value, 'purged_until')];
  // Its clock is behind if it was exported in the middle of an import.
  return { account, state: { last_modified: Math.max(clock, purged_until), purged_until } };
}

function readItem(value: Record<string, unknown>): Item {
  const { id } = value;
  if (typeof id !== 'string' || !isUuid(id)) throw new Error('id: not a UUID');
  const last_modified = readTimestamp(value, 'last_modified');
  if (value.deleted === true) return { id, last_modified, deleted: true };
  const stored_on = readTimestamp(value, 'stored_on');
  const article = newArticle(value, id, stored_on);
  // A new article with null gets the title instead, but a stored one may have none.
  const resolved_title = value.resolved_title === null ? null : article.resolved_title;
  return { ...article, resolved_title, stored_on, last_modified };
}

function readTimestamp(values: Record<string, unknown>, name: string): Timestamp {
  const value = values[name];
  if (!isUsableTimestamp(value)) throw new Error(`${name}: not a timestamp`);
  return value;
}

/** The lines of a file that may be larger than the memory, decoded as `decode` does; `unicodeOf` tells the encoding. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = encoding === 'utf-8' ? undefined : new TextDecoder(encoding);
  let line: Buffer[] = [];
  let size = 0;
  for await (const read of chunks) {
    const chunk = decoder ? Buffer.from(decoder.decode(read, { stream: true })) : read;
    const end = chunk.lastIndexOf('\n');
    if (end >= 0) {
      yield* decode(Buffer.concat([...line, chunk.subarray(0, end)])).split('\n');
      [line, size] = [[], 0];
    }
    line.push(chunk.subarray(end + 1));
    size += chunk.length - end;
    // A longer line is not one of a reading list.
    if (size > 64 * 2 ** 20) throw new ReadError('a line is too long');
  }
  // A character that was cut off, with which the line is not valid JSON.
  if (decoder) line.push(Buffer.from(decoder.decode()));
  yield decode(Buffer.concat(line));
}
