import { draftOf, type ReadingList } from '@reading-list/client';
import {
  type Entry,
  type EntryFields,
  FORMATS,
  type LeftOut,
  NO_PAGE,
  noPage,
  type NoPage,
  type Place,
  readExport,
  ReadError,
  UnknownExport,
} from '@reading-list/formats';

/** An entry that cannot become an article, and why. */
export interface Refusal {
  place: Place;
  text: string;
  reason: string;
  /** The service's own error number and the field to blame, if it was the service. */
  errno?: number | undefined;
  field?: string | undefined;
  /** If it is not a page at all. */
  kind?: NoPage;
}

/** Where and why a file cannot be read. */
export interface Problem {
  place?: Place | undefined;
  reason: string;
}

/** The contents of the files before the import. */
export interface Preview {
  /** The names of the formats, and what people call them. */
  formats: Map<string, string>;
  /** The entries that are new to the list, oldest first, to keep that order. */
  entries: { place: Place; fields: EntryFields }[];
  known: number;
  refused: Refusal[];
  /** How many entries have data for which an article has no field. */
  leftOut: Map<LeftOut, number>;
  /** How many entries have no readable date. */
  undated: number;
  /** From where on the rest of a file cannot be read, and why. */
  stoppedAt: Problem[];
  /** Files of which nothing can be read, and why. */
  unreadable: (Problem & { file: string })[];
  /** Files that are not exports, also in archives. */
  unread: string[];
}

/** What can be read, for people. */
export const UNDERSTOOD: ReadonlyMap<string, string> = new Map(FORMATS.map(({ name, label }) => [name, label]));

/** Reads files of any known format, with the parsers of `user import`. */
export async function readFiles(files: readonly File[], list: ReadingList, device: string): Promise<Preview> {
  const preview: Preview = {
    formats: new Map(),
    entries: [],
    known: 0,
    refused: [],
    leftOut: new Map(),
    undated: 0,
    stoppedAt: [],
    unreadable: [],
    unread: [],
  };
  const seen = new Set<string>();
  for (const file of files) {
    const placeIn: PlaceIn = (place) =>
      files.length === 1 ? place : { ...place, file: [file.name, place.file].filter(Boolean).join('/') };
    for (const entry of await entriesOf(file, placeIn, preview))
      await sort({ ...entry, place: placeIn(entry.place) }, preview, seen, list, device);
  }
  preview.entries.sort((a, b) => (a.fields.added_on ?? Infinity) - (b.fields.added_on ?? Infinity) || 0);
  return preview;
}

/** A place, with the name of its file where there are several. */
type PlaceIn = (place: Place) => Place;

async function entriesOf(file: File, placeIn: PlaceIn, preview: Preview): Promise<Entry[]> {
  try {
    const { format, entries, stoppedAt, others, unreadable } = readExport(new Uint8Array(await file.arrayBuffer()));
    preview.formats.set(format, UNDERSTOOD.get(format) ?? format);
    preview.unread.push(...unreadable, ...others);
    if (stoppedAt)
      preview.stoppedAt.push({ place: stoppedAt.place && placeIn(stoppedAt.place), reason: stoppedAt.reason });
    return entries;
  } catch (error) {
    if (error instanceof UnknownExport) preview.unread.push(file.name);
    else if (error instanceof ReadError)
      preview.unreadable.push({ file: file.name, place: error.place, reason: error.reason });
    else throw error;
    return [];
  }
}

/** Sorts an entry into the preview: new, known or refused. */
async function sort(
  { place, fields: told, leftOut, date, problem }: Entry,
  preview: Preview,
  seen: Set<string>,
  list: ReadingList,
  device: string,
): Promise<void> {
  const refuse = (reason: string, kind?: NoPage) => {
    const text = String(told.url || told.title || '').slice(0, 200);
    preview.refused.push({ place, text, reason, kind });
  };
  if (problem) return refuse(problem);
  const kind = typeof told.url === 'string' ? noPage(told.url) : 'none';
  if (kind) return refuse(NO_PAGE[kind], kind);
  const fields = told.marked_read_on && !told.marked_read_by ? { ...told, marked_read_by: device } : told;
  try {
    const { url } = draftOf(fields, { device, now: Date.now() });
    if (seen.has(url) || (await list.get({ url }))) return void preview.known++;
    seen.add(url);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
  preview.entries.push({ place, fields });
  for (const what of new Set(leftOut)) preview.leftOut.set(what, (preview.leftOut.get(what) ?? 0) + 1);
  if (date) preview.undated++;
}
