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
  const text = decode(await file.arrayBuffer());
  const format = formatOf(text.slice(0, 4096));
  if (format === undefined) return undefined;
  const preview: Preview = { format, entries: [], known: 0, refused: [], leftOut: 0 };
  const seen = new Set<string>();
  try {
    for await (const found of entriesOf(format, [text], device)) await sort(found, preview, seen, list);
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

async function* entriesOf(format: string, chunks: string[], device: string): AsyncGenerator<Found> {
  if (format !== OWN_FORMAT) {
    for await (const bookmark of BOOKMARK_FORMATS[format]!(chunks))
      yield { line: bookmark.line, body: bodyOf(bookmark, device), hasMore: bookmark.leftOut.length > 0 };
    return;
  }
  for await (const line of readOwnLines(chunks))
    if ('item' in line && !('deleted' in line.item)) yield { line: line.line, body: { ...line.item }, hasMore: false };
}

/** The text of a file in UTF-8, in UTF-16 with its mark, or as spreadsheets of older systems write it. */
function decode(bytes: ArrayBuffer): string {
  const as = (encoding: string, fatal = false) => new TextDecoder(encoding, { fatal }).decode(bytes);
  try {
    return as('utf-8', true);
  } catch {
    const mark = new Uint8Array(bytes)[0]!;
    if (mark > 0xfd) return as(mark > 0xfe ? 'utf-16le' : 'utf-16be');
    // Of a damaged file in UTF-8 most can still be read.
    const text = as('utf-8');
    const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
    return count(/\uFFFD/g) > count(/[\u0080-\uFFFC]/g) ? as('windows-1252') : text;
  }
}
