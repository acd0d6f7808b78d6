import { decode, ReadError, unicodeOf } from '@reading-list/formats';

const LINE_FEED = 0x0a;
/** The maximum length of a line in bytes: anything longer is not a reading list. */
const MAX_LINE = 64 * 2 ** 20;

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
    if (size > MAX_LINE) throw new ReadError('a line is too long');
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
