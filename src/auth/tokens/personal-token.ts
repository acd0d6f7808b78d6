import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'rl_';
const SECRET_BYTES = 32;
const FORM = /^rl_[A-Za-z0-9_-]{43}$/;

/** The issuer of users with personal tokens; no provider's URL looks like this. */
export const LOCAL_ISSUER = 'local';

/** A new token with 256 random bits: it cannot be guessed, so storing a plain hash is enough. */
export const newPersonalToken = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64url');

/** True for tokens that are verified here and never sent to the identity provider. */
export const hasPersonalPrefix = (token: string): boolean => token.startsWith(PREFIX);

/** False for what cannot be a token, and needs no lookup. */
export const hasPersonalForm = (token: string): boolean => FORM.test(token);

/** The hash under which a token is stored. */
export const personalTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();
