import { ApiError } from '../../protocol/api-error.js';

/** The user that a bearer token identifies. */
export interface Identity {
  /** The configured URL of the provider, which is stable whatever spelling its tokens use. */
  issuer: string;
  subject: string;
  /** When the token expires, in milliseconds since the epoch; undefined when the provider did not say. */
  expiresAt?: number;
  /** What to call the user; it identifies nobody. */
  name?: string;
  /** The token may only read. */
  isReadOnly?: boolean;
}

/** A verified identity, and for how many milliseconds it may be cached. */
export interface CheckedToken {
  identity: Identity;
  keepMs: number;
}

/**
 * How long an identity may be cached: at most `limitMs`, and not beyond the token's expiry; 0 or less means not at all.
 */
export const cacheableMs = ({ expiresAt = Infinity }: Identity, limitMs: number, now: number): number =>
  Math.min(limitMs, expiresAt - now);

/** 401 / 105: the token was checked and is rejected. */
export const refused = (reason: string): ApiError =>
  new ApiError('invalidAuthorization', `The access token is refused: ${reason}`);
