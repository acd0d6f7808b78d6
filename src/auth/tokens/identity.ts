import { ApiError } from '../../protocol/api-error.js';
import type { Sender } from '../caller.js';

/** The user that a bearer token identifies. */
export interface Identity extends Omit<Sender, 'account' | 'key'> {
  /** The configured URL of the provider, which is stable whatever spelling its tokens use. */
  issuer: string;
  subject: string;
}

/** A verified identity, and for how many milliseconds it may be cached. */
export interface CheckedToken {
  identity: Identity;
  keepMs: number;
}

/** How long an identity may be cached: not beyond the token's expiry; 0 or less means not at all. */
export const cacheableMs = ({ expiresAt = Infinity }: Identity, limitMs: number, now: number): number =>
  Math.min(limitMs, expiresAt - now);

/** 401 / 105: the token was checked and is rejected. */
export const refused = (reason: string): ApiError =>
  new ApiError('invalidAuthorization', `The access token is refused: ${reason}`);
