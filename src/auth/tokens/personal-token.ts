import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'rl_';
const SECRET_BYTES = 32;
const FORM = /^rl_[A-Za-z0-9_-]{43}$/;

/** The issuer of users who have personal tokens: no address of a provider is spelt so. */
export const LOCAL_ISSUER = 'local';

/** A new token, of 256 random bits: nobody guesses it, so that a plain hash of it is enough to keep. */
export const newPersonalToken = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64url');

/** True for what is to be judged here and never shown to the identity provider. */
export const claimsToBePersonal = (token: string): boolean => token.startsWith(PREFIX);

/** False for what nobody has to look for. */
export const hasPersonalForm = (token: string): boolean => FORM.test(token);

/** Under which a token is stored. */
export const personalTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();
