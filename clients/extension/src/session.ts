import { type Client, createClient, openReadingList, type ReadingList } from '@reading-list/client';
import { indexedDbStorage } from '@reading-list/client/indexeddb';
import { readPreferences } from './preferences';

/** A signed-in user. */
export interface Session {
  /** The base URL, without `/v2` and without a slash at the end. */
  service: string;
  /** The whole `Authorization` header. */
  authorization: string;
  /** Tells apart the lists of several accounts in this browser. */
  account: string;
  /** The user's name, for the user; may be empty. */
  name: string;
}

export async function readSession(): Promise<Session | undefined> {
  return (await chrome.storage.local.get<{ session?: Session }>('session')).session;
}

/** Calls the listener whenever somebody signs in or out, in any page of the extension. */
export function onSession(listener: () => void): void {
  chrome.storage.onChanged.addListener((changes, area) => {
    if (area === 'local' && 'session' in changes) listener();
  });
}

const databaseOf = ({ account }: Session): string => `reading-list-${account}`;

export const clientOf = ({ service, authorization }: Session): Client =>
  createClient({ baseUrl: service, authorization });

/** Opens the user's list in this browser; needs no network. */
export async function openList(session: Session): Promise<ReadingList> {
  const { device } = await readPreferences();
  return openReadingList({ client: clientOf(session), storage: indexedDbStorage(databaseOf(session)), device });
}

/** How many changes of the user the service does not have yet. */
export async function countUnsent(session: Session): Promise<number> {
  const list = await openList(session);
  try {
    return await list.countPending();
  } finally {
    await list.close();
  }
}

/** Signs in. The list of another user stays in this browser only if it has something that has not been sent. */
export async function enter(session: Session): Promise<void> {
  const before = await readSession();
  await keepSession(session);
  if (before && before.account !== session.account && (await countUnsent(before)) === 0) await deleteList(before);
}

/** Forgets the user, and deletes the list in this browser. */
export async function signOut(session: Session): Promise<void> {
  await keepSession(undefined);
  await deleteList(session);
}

async function keepSession(session: Session | undefined): Promise<void> {
  await (session ? chrome.storage.local.set({ session }) : chrome.storage.local.remove('session'));
}

function deleteList(session: Session): Promise<void> {
  return new Promise((resolve, reject) => {
    const deletion = indexedDB.deleteDatabase(databaseOf(session));
    deletion.onsuccess = () => resolve();
    deletion.onerror = () => reject(deletion.error ?? new Error('not deleted'));
  });
}
