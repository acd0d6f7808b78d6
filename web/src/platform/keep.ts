import { type DBSchema, openDB } from 'idb';

/** Credentials that a user wants to be kept on this device. */
export interface KeptSession {
  account: string;
  /** The whole `Authorization` header. */
  authorization: string;
  /** How the user is named on this device. */
  label: string;
}

interface Kept extends DBSchema {
  session: { key: 'current'; value: KeptSession };
  /** Accounts whose replica is on this device. */
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

/** Keeps the session, or forgets it. */
export async function keepSession(session: KeptSession | undefined): Promise<void> {
  const database = await opened();
  try {
    await (session ? database.put('session', session, 'current') : database.delete('session', 'current'));
  } finally {
    database.close();
  }
}

/** Notes how many edits of an account are not sent yet; undefined: nothing of it is on this device any more. */
export async function noteAccount(account: string, unsent: number | undefined): Promise<void> {
  const database = await opened();
  try {
    await (unsent === undefined ? database.delete('accounts', account) : database.put('accounts', { account, unsent }));
  } finally {
    database.close();
  }
}

/** How many changes of all accounts together this device has not sent yet. */
export async function countUnsentHere(): Promise<number> {
  const database = await opened();
  try {
    return (await database.getAll('accounts')).reduce((sum, { unsent }) => sum + unsent, 0);
  } finally {
    database.close();
  }
}
