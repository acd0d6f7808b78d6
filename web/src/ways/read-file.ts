import type { ReadingList } from '@reading-list/client';
import { newArticle } from '../../../src/articles/article';
import { bodyOf } from '../../../src/commands/import/files/bookmark';
import { BOOKMARK_FORMATS, formatOf, OWN_FORMAT } from '../../../src/commands/import/files/formats';
import { readOwnLines } from '../../../src/commands/import/files/own-lines';

/** The argument of `ReadingList.add`. */
export type NewEntry = Parameters<ReadingList['add']>[0];

/** An entry that cannot become an article, and why. */
export interface Refusal {
  line: number;
  text: string;
  reason: string;
}

/** The contents of a file before the import. */
export interface Preview {
  format: string;
  /** The entries that are new to the list, oldest first, to keep that order. */
  entries: { line: number; fields: NewEntry }[];
  known: number;
  refused: Refusal[];
  /** How many entries have data for which an article has no field. */
  leftOut: number;
  /** Why the rest of the file could not be read. */
  stoppedAt?: string;
}

/** The list gives each article its own id. `crypto.randomUUID` is missing in pages over plain HTTP. */
const ANY_ID = '00000000-0000-4000-8000-000000000000';

interface Found {
  line: number;
  body: Record<string, unknown>;
  hasMore: boolean;
}

/** Reads a file of any known format; undefined if unknown. Uses the parsers of `user import`. */
export async function readFile(file: Blob, list: ReadingList, device: string): Promise<Preview | undefined> {
  const format = formatOf(await file.slice(0, 4096).text());
  if (format === undefined) return undefined;
  const preview: Preview = { format, entries: [], known: 0, refused: [], leftOut: 0 };
  const seen = new Set<string>();
  try {
    for await (const found of entriesOf(format, chunksOf(file), device)) await sort(found, preview, seen, list);
  } catch (error) {
    preview.stoppedAt = error instanceof Error ? error.message : String(error);
  }
  preview.entries.sort((a, b) => (a.fields.added_on ?? 0) - (b.fields.added_on ?? 0));
  return preview;
}

/** Sorts an entry into the preview: new, known or refused. */
async function sort(
  { line, body, hasMore }: Found,
  preview: Preview,
  seen: Set<string>,
  list: ReadingList,
): Promise<void> {
  if (hasMore) preview.leftOut++;
  try {
    const { id: _id, stored_on: _stored, ...fields } = newArticle(body, ANY_ID, Date.now());
    if (seen.has(fields.url) || (await list.get({ url: fields.url }))) return void preview.known++;
    seen.add(fields.url);
    preview.entries.push({ line, fields: fields });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    preview.refused.push({ line, text: (typeof body.url === 'string' ? body.url : '').slice(0, 200), reason });
  }
}

async function* entriesOf(format: string, chunks: AsyncIterable<string>, device: string): AsyncGenerator<Found> {
  if (format !== OWN_FORMAT) {
    for await (const bookmark of BOOKMARK_FORMATS[format]!(chunks))
      yield { line: bookmark.line, body: bodyOf(bookmark, device), hasMore: bookmark.leftOut.length > 0 };
    return;
  }
  for await (const line of readOwnLines(chunks))
    if ('item' in line && !('deleted' in line.item)) yield { line: line.line, body: { ...line.item }, hasMore: false };
}

async function* chunksOf(file: Blob): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
}
