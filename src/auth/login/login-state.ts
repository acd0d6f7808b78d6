import { hkdfSync } from 'node:crypto';
import { EncryptJWT, jwtDecrypt, type JWTPayload } from 'jose';

/** The state of a login in a browser until the provider redirects back. */
export interface PendingLogin {
  state: string;
  /** The PKCE code verifier. */
  verifier: string;
  /** Where the browser goes with the token in the end; already validated. */
  redirect: string;
  /** The callback URL as sent to the provider, whichever instance receives the callback. */
  redirect_uri: string;
}

const CONTENT_ENCRYPTION = 'A256GCM';

/** The encryption key of login cookies: the same for all instances with the same secret, and used for nothing else. */
export const loginKey = (sessionSecret: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', sessionSecret, '', 'reading list: login cookie', 32));

/** Encrypts a login; `expiresAt` in milliseconds since the epoch. */
export async function sealLogin(login: PendingLogin, key: Uint8Array, expiresAt: number): Promise<string> {
  return new EncryptJWT({ ...login })
    .setProtectedHeader({ alg: 'dir', enc: CONTENT_ENCRYPTION })
    .setExpirationTime(Math.floor(expiresAt / 1000))
    .encrypt(key);
}

/** Decrypts a login; undefined for anything but an unexpired login sealed with this key. */
export async function openLogin(sealed: string, key: Uint8Array, now: number): Promise<PendingLogin | undefined> {
  try {
    const { payload } = await jwtDecrypt(sealed, key, {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: [CONTENT_ENCRYPTION],
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    });
    return isLogin(payload) ? payload : undefined;
  } catch {
    return undefined;
  }
}

const isLogin = (payload: JWTPayload): payload is JWTPayload & PendingLogin =>
  ['state', 'verifier', 'redirect', 'redirect_uri'].every((name) => typeof payload[name] === 'string');
