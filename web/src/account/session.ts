import { type Client, createClient, openReadingList, type ReadingList } from '@reading-list/client';
import { indexedDbStorage } from '@reading-list/client/indexeddb';
import { deleteDB } from 'idb';
import { forgetLost } from '../list/lost';
import { type KeptSession, keepSession, noteAccount, readKeptSession } from '../platform/keep';
import { readPreferences } from '../platform/preferences';
import { openChannel } from '../platform/channel';
import { readAccount, serviceUrl } from './service';

/** A signed-in user and the list on this device. */
export interface Session {
  account: string;
  /** The user's name, as typed or as the service knows it. */
  label: string;
  list: ReadingList;
  client: Client;
  /** Whether the credentials are kept on this device. */
  isKept: boolean;
  /** Read by the library for each request; signing in again replaces them. */
  credentials: { authorization: string };
}

/** Credentials entered by a user. */
export interface Credentials {
  authorization: string;
  label: string;
  keep: boolean;
}

const PRESENT = 'reading-list-account';

/** The poll interval if the service does not support waiting polls. */
const INTERVAL_SECONDS = 60;

/** Whose list this tab shows, also after a link of the application has loaded the page again. */
export const presentAccount = {
  note: (account: string) => sessionStorage.setItem(PRESENT, account),
  recall: () => sessionStorage.getItem(PRESENT) ?? undefined,
  forget: () => sessionStorage.removeItem(PRESENT),
};

/** Tells other tabs who signed in, with credentials, and whose account was removed from this device, without. */
const tabs = openChannel('reading-list-sessions');

/** Each account has its own database. */
const databaseOf = (account: string) => `reading-list-${account}`;

/** The account whose list another tab shows; undefined where browsers have no locks. */
export async function openElsewhere(): Promise<string | undefined> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  const names = held.map(({ name = '' }) => /^reading-list:reading-list-(.+):automatic$/.exec(name)?.[1]);
  return names.find((account) => account !== undefined);
}

/** Signs in: the service identifies the account. Throws `SignInError`. */
export async function signIn(credentials: Credentials): Promise<Session> {
  const { account, name } = await readAccount(credentials.authorization);
  return enter(account, { ...credentials, label: credentials.label || name });
}

/** Opens the list of an account whose credentials the service has accepted. */
export async function enter(account: string, { authorization, label, keep }: Credentials): Promise<Session> {
  const kept = { account, authorization, label };
  const session = await openSession(kept);
  if (keep) await keepSession(kept);
  tabs.postMessage(kept);
  return { ...session, isKept: keep };
}

/** Opens the list of an account on this device, with or without a network. */
export async function openSession({ account, authorization, label }: KeptSession): Promise<Session> {
  const credentials = { authorization };
  // A password does not change during a session; given a function, the library would assume a token and send batches.
  const isBasic = authorization.startsWith('Basic ');
  const client = createClient({
    baseUrl: serviceUrl(),
    authorization: isBasic ? authorization : () => credentials.authorization,
  });
  const list = await openReadingList({
    client,
    storage: indexedDbStorage(databaseOf(account)),
    get device() {
      return readPreferences().device;
    },
  });
  await noteAccount(account, 0);
  presentAccount.note(account);
  list.start({ intervalSeconds: INTERVAL_SECONDS });
  // Only one of several tabs syncs automatically; the others should start with current data too.
  void list.sync().catch(() => undefined);
  return { account, label, list, client, isKept: true, credentials };
}

/** Stores or removes the credentials on this device. */
export async function setKept(session: Session, keep: boolean): Promise<Session> {
  const { account, label, credentials } = session;
  await (keep ? keepSession({ account, label, authorization: credentials.authorization }) : forgetKept(account));
  return { ...session, isKept: keep };
}

/** Closes the session but keeps the list on this device for when the same account signs in again. */
export async function suspend({ account, list }: Session): Promise<void> {
  list.stop();
  await list.close();
  presentAccount.forget();
  await forgetKept(account);
}

/** Removes the credentials from this device, unless they are those of another account. */
async function forgetKept(account: string): Promise<void> {
  if ((await readKeptSession())?.account === account) await keepSession(undefined);
}

/** Removes the account from this device, including unsent edits. */
export async function signOut(session: Session): Promise<void> {
  await suspend(session);
  tabs.postMessage({ account: session.account });
  await deleteDB(databaseOf(session.account));
  await noteAccount(session.account, undefined);
  forgetLost(session.account);
}

/** Closes the session when another tab removes its account, and says so; goes on with the credentials of a new sign-in there. */
export function watchTabs({ account, list, credentials }: Session, onSignedOut: () => void): () => void {
  const listen = ({ data }: MessageEvent<Partial<KeptSession>>) => {
    if (data.account !== account) return;
    if (data.authorization !== undefined) {
      credentials.authorization = data.authorization;
      return void list.sync().catch(() => undefined);
    }
    list.stop();
    void list.close();
    presentAccount.forget();
    onSignedOut();
  };
  tabs.addEventListener('message', listen);
  return () => tabs.removeEventListener('message', listen);
}
