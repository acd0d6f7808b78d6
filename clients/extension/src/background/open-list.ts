import type { ReadingList } from '@reading-list/client';
import { onSession, openList, readSession } from '../session';

let opened: Promise<ReadingList | undefined> | undefined;
const listeners = new Set<(list: ReadingList) => void>();

/**
 * The list of the user who is signed in; undefined if nobody is. Browsers end a background script that has nothing to do, so all
 * that has to last is in the list's database, and this opens it again.
 */
export function currentList(): Promise<ReadingList | undefined> {
  return (opened ??= open());
}

/** Calls the listener with each list that is opened. */
export const onOpened = (listener: (list: ReadingList) => void): void => void listeners.add(listener);

/** Has the list opened again, as someone signed in or out. */
export function followSession(): void {
  onSession(() => {
    const before = opened;
    opened = undefined;
    void before?.then((list) => list?.close()).catch(() => undefined);
  });
}

async function open(): Promise<ReadingList | undefined> {
  try {
    const session = await readSession();
    const list = session && (await openList(session));
    if (list) for (const listener of listeners) listener(list);
    return list;
  } catch (error) {
    opened = undefined;
    throw error;
  }
}
