import type { ReadingList } from '@reading-list/client';
import type { Preview, Refusal } from './read-file';

/** The results so far. */
export interface ImportResult {
  added: number;
  known: number;
  refused: Refusal[];
}

/** The number of entries stored at a time; in between, the page can repaint and handle input. */
const AT_A_TIME = 50;
/** How often sent articles are counted. */
const COUNT_EVERY_MS = 500;

/**
 * Adds the new entries of a file to the list on this device. Those added before an abort stay; importing the file again adds the rest.
 */
export async function runImport(
  list: ReadingList,
  { entries, known, refused }: Preview,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  const result: ImportResult = { added: 0, known, refused: [...refused] };
  for (let from = 0; from < entries.length && !signal.aborted; from += AT_A_TIME) {
    const chunk = entries.slice(from, from + AT_A_TIME);
    await Promise.all(chunk.map((entry) => importOne(list, entry, result)));
    onProgress(from + chunk.length);
    await new Promise((resolve) => setTimeout(resolve));
  }
  return result;
}

async function importOne(list: ReadingList, { place, fields }: Preview['entries'][number], result: ImportResult) {
  try {
    // Another device may have added it since the file was read.
    const isKnown = (await list.get({ url: fields.url })) !== undefined;
    if (!isKnown) await list.add(fields);
    result[isKnown ? 'known' : 'added']++;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    result.refused.push({ place, text: fields.url, reason });
  }
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
