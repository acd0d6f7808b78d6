import type { ReadingList } from '@reading-list/client';

/** A change that could not be kept. */
export interface Lost {
  url: string;
  /** In the words of the service or the library, which are English. */
  reason: string;
}

const MAX_KEPT = 5;
let writing: Promise<unknown> = Promise.resolve();

/** The last changes that could not be kept, until the user has seen them. */
export async function readLost(): Promise<Lost[]> {
  return (await chrome.storage.local.get<{ lost?: Lost[] }>('lost')).lost ?? [];
}

export const forgetLost = (): Promise<void> => chrome.storage.local.remove('lost');

/** Keeps what the list reports as lost, since nobody may be looking when it does. */
export function keepLost(list: ReadingList): void {
  list.on('conflict', ({ url, reason = '' }) => {
    const earlier = writing.catch(() => undefined);
    writing = earlier.then(async () => {
      // The popup and the background may both hear of it.
      const others = (await readLost()).filter((lost) => lost.url !== url || lost.reason !== reason);
      const lost = [...others, { url, reason }].slice(-MAX_KEPT);
      await chrome.storage.local.set({ lost });
    });
  });
}
