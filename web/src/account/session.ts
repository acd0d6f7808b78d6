import { createClient, openReadingList, type ReadingList } from '@reading-list/client';
import { indexedDbStorage } from '@reading-list/client/indexeddb';
import { deleteDB } from 'idb';
import { type KeptSession, keepSession, noteAccount } from '../platform/keep';
import { readAccount, serviceUrl } from './service';

/** A signed-in user and the list on this device. */
export interface Session {
  account: string;
  label: string;
  list: ReadingList;
  /** Whether the credentials are kept on this device. */
  isKept: boolean;
  /** Where the library asks for the credentials: signing in again replaces them. */
  credentials: { authorization: string };
}

/** Credentials that a user brings. */
export interface Credentials {
  authorization: string;
  label: string;
  keep: boolean;
}

/** Where the service can't hold a poll until something changes. */
const INTERVAL_SECONDS = 60;

/** Each account has a database of its own: no name of one leads to the list of another. */
const databaseOf = (account: string) => `reading-list-${account}`;

/** Signs in: the service says whose credentials these are. Throws `SignInError`. */
export async function signIn({ authorization, label, keep }: Credentials, device: string): Promise<Session> {
  const account = await readAccount(authorization);
  const kept = { account, authorization, label };
  const session = await openSession(kept, device);
  if (keep) await keepSession(kept);
  return { ...session, isKept: keep };
}

/** Opens the list of an account on this device, with or without a network. */
export async function openSession({ account, authorization, label }: KeptSession, device: string): Promise<Session> {
  const credentials = { authorization };
  // A password doesn't change while it is in use; with a function the library would take it for a token and send batches.
  const isBasic = authorization.startsWith('Basic ');
  const client = createClient({
    baseUrl: serviceUrl(),
    authorization: isBasic ? authorization : () => credentials.authorization,
  });
  const list = await openReadingList({ client, storage: indexedDbStorage(databaseOf(account)), device });
  await noteAccount(account, 0);
  list.start({ intervalSeconds: INTERVAL_SECONDS });
  // Of several tabs one syncs by itself: the others begin with what is there now as well.
  void list.sync().catch(() => undefined);
  return { account, label, list, isKept: true, credentials };
}

/** Keeps the credentials on this device from now on, or no longer. */
export async function setKept(session: Session, keep: boolean): Promise<Session> {
  const { account, label, credentials } = session;
  await keepSession(keep ? { account, label, authorization: credentials.authorization } : undefined);
  return { ...session, isKept: keep };
}

/** Leaves the list on this device for when the same account comes back. */
export async function suspend({ list }: Session): Promise<void> {
  list.stop();
  await list.close();
  await keepSession(undefined);
}

/** Forgets the account on this device, unsent edits included. */
export async function signOut(session: Session): Promise<void> {
  await suspend(session);
  await deleteDB(databaseOf(session.account));
  await noteAccount(session.account, undefined);
}
