import { hkdfSync } from 'node:crypto';
import { dirname } from 'node:path/posix';
import type { CookieOptions } from 'express';
import { EncryptJWT, jwtDecrypt } from 'jose';

/** The state of a login in a browser until the provider redirects back. */
export interface PendingLogin {
  state: string;
  verifier: string;
  /** Where the browser goes with the token in the end; already validated. */
  redirect: string;
  /** The callback URL as sent to the provider, whichever instance receives the callback. */
  redirect_uri: string;
}

/** The encryption key of login cookies: the same for all instances with the same secret, and used for nothing else. */
export const loginKey = (sessionSecret: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', sessionSecret, '', 'reading list: login cookie', 32));

/** Encrypts a login; `expiresAt` in milliseconds since the epoch. */
export async function sealLogin(login: PendingLogin, key: Uint8Array, expiresAt: number): Promise<string> {
  return new EncryptJWT({ ...login })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .encrypt(key);
}

/** Decrypts a login; undefined for anything but an unexpired login sealed with this key. */
export async function openLogin(sealed: string, key: Uint8Array, now: number): Promise<PendingLogin | undefined> {
  const opened = await jwtDecrypt<PendingLogin>(sealed, key, {
    keyManagementAlgorithms: ['dir'],
    contentEncryptionAlgorithms: ['A256GCM'],
    requiredClaims: ['exp', 'state', 'verifier', 'redirect', 'redirect_uri'],
    currentDate: new Date(now),
  }).catch(() => undefined);
  return opened?.payload;
}

/** The name of a login's cookie. Each login has its own, so that two tabs do not interfere. */
export const loginCookieName = (state: string): string => `login-${state.slice(0, 16)}`;

/** The options of the cookie of a login that ends at `callback`. */
export function loginCookieOptions(callback: string): CookieOptions {
  const { protocol, pathname } = new URL(callback);
  // The folder of the callback, so that the path where logins begin receives the cookies of abandoned ones, to remove them.
  return { path: dirname(pathname), httpOnly: true, sameSite: 'lax', secure: protocol === 'https:' };
}

/** The login cookies of a `Cookie` header, in the order in which the browser stored them. */
export function readLoginCookies(header: string | undefined): Map<string, string> {
  const found = (header ?? '').matchAll(/(?:^|;) *(login-[A-Za-z0-9_-]{16})=([^;]*)/g);
  return new Map([...found].map(([, name, value]) => [name!, value!.trim()]));
}

/** The oldest login cookies, some of which have to be removed to make room for another of `length` characters. */
export function surplusLoginCookies(cookies: ReadonlyMap<string, string>, length: number): string[] {
  // Many proxies refuse requests with more than 16 KiB of headers, and Express copies all cookies to add another.
  const [maxTotal, maxRemoved] = [8192, 50];
  let total = length;
  const surplus = [...cookies].reverse().filter(([name, value]) => (total += name.length + value.length) > maxTotal);
  return surplus.slice(-maxRemoved).map(([name]) => name);
}
