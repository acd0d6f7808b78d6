import { createHash } from 'node:crypto';
import { accountKey } from '../src/auth/caller.js';

/** A user of the servers under test: the service uses the token, the limit server the key. */
export interface User {
  /** The hexadecimal key of the user's rows in the database. */
  account: string;
  authorization: string;
}

/** The secret from which the service derives users' keys. */
export const USER_ID_SECRET = 'benchmark-user-id-secret-of-enough-characters';

/** The base timestamp of seeded records; record n has this plus n. */
export const FIRST_TIMESTAMP = 1_700_000_000_000;

/** The key of a bearer user, derived like in the service. */
export const accountOf = (issuer: string, subject: string): string =>
  accountKey(USER_ID_SECRET, 'bearer', [issuer, subject]).toString('hex');

/** The id of a user's n-th seeded record: distributed like a random one, but known to all processes. */
export function articleId(account: string, n: number): string {
  const hex = createHash('md5').update(`${account}/${n}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The URL of a user's n-th seeded record. */
export const articleUrl = (account: string, n: number): string => `https://example.com/${account}/articles/${n}`;
