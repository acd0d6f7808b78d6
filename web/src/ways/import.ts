import type { ReadingList } from '@reading-list/client';
import type { Preview, Refusal } from './read-file';

/** What became of the entries. */
export interface ImportResult {
  added: number;
  known: number;
  /** What this device or, later, the service does not accept. */
  refused: Refusal[];
  /** Whether all entries were added before an abort. */
  isWhole: boolean;
}

/** How far the sending is: how many articles, and how many seconds it may still take, once that can be said. */
export interface Sending {
  sent: number;
  secondsLeft?: number;
}

/** Called with how many entries are done, and then, for those that were added, with how far the sending is. */
export interface ImportProgress {
  onProgress: (done: number) => void;
  onSending: (total: number, sending: Sending) => void;
}

type New = Preview['entries'][number];

/** The number of entries stored at a time; in between, the page can repaint and handle input. */
const AT_A_TIME = 50;
/** How often sent articles are counted. */
const COUNT_EVERY_MS = 500;

/**
 * Adds the new entries of a file to the list on this device, and resolves when they have been sent or with an abort. What was added
 * before an abort stays; importing the file again adds the rest.
 */
export async function runImport(
  list: ReadingList,
  { entries, known, refused }: Preview,
  { onProgress, onSending }: ImportProgress,
  signal: AbortSignal,
): Promise<ImportResult> {
  const result: ImportResult = { added: 0, known, refused: [...refused], isWhole: false };
  /** By the keys of their articles. */
  const added = new Map<string, New>();
  const refusedByService: Refusal[] = [];
  const stop = list.on('conflict', ({ kind, key, reason = '', errno, field }) => {
    const entry = kind === 'refused' ? added.get(key) : undefined;
    if (entry) refusedByService.push({ place: entry.place, text: entry.fields.url, reason, errno, field });
  });
  for (let from = 0; from < entries.length && !signal.aborted; from += AT_A_TIME) {
    const chunk = entries.slice(from, from + AT_A_TIME);
    await Promise.all(chunk.map((entry) => importOne(list, entry, added, result)));
    onProgress(from + chunk.length);
    await new Promise((resolve) => setTimeout(resolve));
  }
  result.isWhole = !signal.aborted;
  const total = result.added;
  if (result.isWhole) await followSending(list, total, (sending) => onSending(total, sending), signal);
  stop();
  result.added -= refusedByService.length;
  result.refused.push(...refusedByService);
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

/** Resolves when everything on this device has been sent, or with an abort; the list sends it by itself. */
async function followSending(
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
