import type { ReadingList } from '@reading-list/client';
import type { Preview, Refusal } from './read-file';

/** The results so far. */
export interface ImportResult {
  added: number;
  known: number;
  /** What this device or, later, the service does not accept. */
  refused: Refusal[];
}

type New = Preview['entries'][number];

/** The number of entries stored at a time; in between, the page can repaint and handle input. */
const AT_A_TIME = 50;
/** How often sent articles are counted. */
const COUNT_EVERY_MS = 500;

/**
 * Adds the new entries of a file to the list on this device. Those added before an abort stay; importing the file again adds the rest.
 * @param added the entries by the keys of their articles
 */
export async function runImport(
  list: ReadingList,
  { entries, known, refused }: Preview,
  added: Map<string, New>,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  const result: ImportResult = { added: 0, known, refused: [...refused] };
  for (let from = 0; from < entries.length && !signal.aborted; from += AT_A_TIME) {
    const chunk = entries.slice(from, from + AT_A_TIME);
    await Promise.all(chunk.map((entry) => importOne(list, entry, added, result)));
    onProgress(from + chunk.length);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return result;
}

async function importOne(list: ReadingList, entry: New, added: Map<string, New>, result: ImportResult) {
  const { place, fields } = entry;
  try {
    // Another device may have added it since the file was read.
    if (await list.get({ url: fields.url })) return void result.known++;
    added.set((await list.add(fields)).key, entry);
    result.added++;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    result.refused.push({ place, text: fields.url, reason });
  }
}

/** Collects what the service refuses of the entries that were added, until the returned function is called. */
export function followRefusals(list: ReadingList, added: ReadonlyMap<string, New>, refused: Refusal[]): () => void {
  return list.on('conflict', ({ kind, key, reason = '', errno, field }) => {
    const entry = kind === 'refused' ? added.get(key) : undefined;
    if (entry) refused.push({ place: entry.place, text: entry.fields.url, reason, errno, field });
  });
}

/** How far the sending is: how many articles, and how many seconds it may still take, once that can be said. */
export interface Sending {
  sent: number;
  secondsLeft?: number;
}

/** Resolves when everything on this device has been sent, or with an abort; the list sends it by itself. */
export async function followSending(
  list: ReadingList,
  total: number,
  onProgress: (sending: Sending) => void,
  signal: AbortSignal,
): Promise<void> {
  const started = performance.now();
  const before = Math.min(total, await list.countPending());
  for (let pending = before; pending > 0 && !signal.aborted; pending = Math.min(total, await list.countPending())) {
    const seconds = (performance.now() - started) / 1000;
    const rate = (before - pending) / seconds;
    onProgress({ sent: total - pending, ...(rate > 0 ? { secondsLeft: pending / rate } : {}) });
    await new Promise((resolve) => setTimeout(resolve, COUNT_EVERY_MS));
  }
}
