import { type DBSchema, openDB } from 'idb';

/** Credentials that are stored on this device. */
export interface KeptSession {
  account: string;
  /** The whole `Authorization` header. */
  authorization: string;
  /** The user's name on this device. */
  label: string;
}

interface Kept extends DBSchema {
  session: { key: 'current'; value: KeptSession };
  /** Accounts with a replica on this device. */
  accounts: { key: string; value: { account: string; unsent: number } };
}

const opened = () =>
  openDB<Kept>('reading-list', 1, {
    upgrade: (database) => {
      database.createObjectStore('session');
      database.createObjectStore('accounts', { keyPath: 'account' });
    },
  });

/** The session of the user who stays signed in. */
export async function readKeptSession(): Promise<KeptSession | undefined> {
  const database = await opened();
  try {
    return await database.get('session', 'current');
  } finally {
    database.close();
  }
}

/** Stores or deletes the session. With one, asks the browser not to evict its list, which may have changes that were never sent. */
export async function keepSession(session: KeptSession | undefined): Promise<void> {
  // Some browsers ask the user, which may take as long as it will.
  if (session) void navigator.storage?.persist().catch(() => undefined);
  const database = await opened();
  try {
    await (session ? database.put('session', session, 'current') : database.delete('session', 'current'));
  } finally {
    database.close();
  }
}

/** Records how many edits of an account are unsent; undefined if the account was removed from this device. */
export async function noteAccount(account: string, unsent: number | undefined): Promise<void> {
  const database = await opened();
  try {
    await (unsent === undefined ? database.delete('accounts', account) : database.put('accounts', { account, unsent }));
  } finally {
    database.close();
  }
}

/** The number of unsent changes of all accounts on this device. */
export async function countUnsentHere(): Promise<number> {
  const database = await opened();
  try {
    return (await database.getAll('accounts')).reduce((sum, { unsent }) => sum + unsent, 0);
  } finally {
    database.close();
  }
}
