import { decode, parseOwnLine, ReadError, unicodeOf } from '@reading-list/formats';
import { type Article, newArticle, type Tombstone } from '../../articles/article.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { isUuid } from '../../protocol/uuid.js';

/** The maximum length of a line in characters: anything longer is not a reading list. */
const MAX_LINE = 16 * 2 ** 20;

/** A file's text as it arrives. */
export type TextChunks = AsyncIterable<string> | Iterable<string>;

/** An account's clock, and up to where its tombstones were purged, at the time of the export. */
export interface AccountState {
  last_modified: Timestamp;
  purged_until: Timestamp;
}

export type Item = Article | Tombstone;

/** A line of `user export`: the account of the following lines, or one of its items. */
export type OwnLine = { line: number } & ({ account: string; state: AccountState } | { item: Item });

/** Reads the output of `user export`, which may be larger than the memory. Throws `ReadError` for any other line. */
export async function* readOwnLines(chunks: TextChunks): AsyncGenerator<OwnLine> {
  let hasAccount = false;
  for await (const { line, text } of linesOf(chunks)) {
    const json = text.replace(/^\uFEFF/, '');
    if (json === '') continue;
    const read = readOwnLine(json, line);
    hasAccount ||= 'account' in read;
    if (!hasAccount) throw refusal(line, 'the account is missing; is this the whole of a "user export"?');
    yield read;
  }
}

async function* linesOf(chunks: TextChunks): AsyncGenerator<{ line: number; text: string }> {
  let [line, text] = [1, ''];
  for await (const chunk of chunks) {
    const pieces = (text + chunk).split('\n');
    text = pieces.pop()!;
    if (text.length > MAX_LINE) throw refusal(line + pieces.length, 'too long');
    for (const piece of pieces) yield { line: line++, text: piece.replace(/\r$/, '') };
  }
  if (text !== '') yield { line, text };
}

export const refusal = (line: number, reason: string): ReadError =>
  new ReadError(reason, { unit: 'line', number: line });

function readOwnLine(text: string, line: number): OwnLine {
  const value = parseOwnLine(text, line);
  try {
    return { line, ...('account' in value ? readAccount(value) : { item: readItem(value) }) };
  } catch (error) {
    throw refusal(line, (error as Error).message);
  }
}

function readAccount({ account, last_modified, purged_until }: Record<string, unknown>) {
  if (typeof account !== 'string' || !/^[0-9a-f]{32}$/.test(account)) throw new Error('account: not a key');
  const state = { last_modified: readTimestamp({ last_modified }), purged_until: readTimestamp({ purged_until }) };
  return { account, state };
}

function readItem(value: Record<string, unknown>): Item {
  const { id } = value;
  if (typeof id !== 'string' || !isUuid(id)) throw new Error('id: not a UUID');
  const last_modified = readTimestamp({ last_modified: value.last_modified });
  if (value.deleted === true) return { id, last_modified, deleted: true };
  const stored_on = readTimestamp({ stored_on: value.stored_on });
  const article = newArticle(value, id, stored_on);
  // A new article with null gets the title instead, but a stored one may have none.
  const resolved_title = value.resolved_title === null ? null : article.resolved_title;
  return { ...article, resolved_title, stored_on, last_modified };
}

function readTimestamp(field: Record<string, unknown>): Timestamp {
  const [[name, value]] = Object.entries(field) as [[string, unknown]];
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Error(`${name}: not a timestamp`);
  return value as number;
}

const LINE_FEED = 0x0a;
/** The maximum length of a line in bytes: anything longer is not a reading list. */
const MAX_LINE_BYTES = 64 * 2 ** 20;

type Chunks = AsyncIterable<Buffer> | Iterable<Buffer>;

/** The text of a file that may be larger than the memory, decoded as `decode` does, some whole lines at a time. */
export async function* decodeLines(beginning: Buffer, rest: Chunks): AsyncGenerator<string> {
  const unicode = unicodeOf(beginning);
  if (unicode === 'utf-8') yield* decodeWholeLines(chained(beginning, rest));
  else yield* decodeUtf16(unicode, chained(beginning, rest));
}

async function* decodeWholeLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let line: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      yield decode(Buffer.concat([...line, chunk.subarray(0, end)]));
      [line, size] = [[], 0];
    }
    line.push(chunk.subarray(end));
    size += chunk.length - end;
    if (size > MAX_LINE_BYTES) throw new ReadError('a line is too long');
  }
  yield decode(Buffer.concat(line));
}

async function* decodeUtf16(encoding: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

async function* chained(beginning: Buffer, rest: Chunks): AsyncGenerator<Buffer> {
  yield beginning;
  yield* rest;
}
