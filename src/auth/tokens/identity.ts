import { ApiError } from '../../protocol/api-error.js';

/** The user that a bearer token identifies. */
export interface Identity {
  /** The configured URL of the provider, which is stable whatever spelling its tokens use. */
  issuer: string;
  subject: string;
  /** When the token expires, in milliseconds since the epoch; undefined when the provider did not say. */
  expiresAt?: number;
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

/** What a token must satisfy, and the time of the check. */
export interface TokenRules {
  /** The issuer as the provider's metadata spells it. */
  issuer: string;
  audiences: string[];
  /** Space-separated scopes, all of which are required. */
  scope: string;
  now: number;
}

/** How far the clocks of provider and service may differ, in seconds. */
export const LEEWAY_SECONDS = 30;

/** 401 / 105: the token was checked and is rejected. */
export const refused = (reason: string): ApiError =>
  new ApiError('invalidAuthorization', `The access token is refused: ${reason}`);

/**
 * Checks the claims of an authentic token and returns its subject and expiry. `iss`, `aud`, `exp`, `nbf` and `iat` are
 * checked if present. Throws 401 / 105, or 403 / 121 for a valid token without the required scope.
 */
export function judgeClaims(claims: Record<string, unknown>, rules: TokenRules): Omit<Identity, 'issuer'> {
  const { iss, aud, sub, exp, cnf } = claims;
  if (iss !== undefined && iss !== rules.issuer) throw refused('it is of another issuer');
  if (aud !== undefined && ![aud].flat().some((audience) => rules.audiences.includes(audience as string)))
    throw refused('it is for another audience');
  judgeTimes(claims, rules.now / 1000);
  if (typeof sub !== 'string' || sub === '') throw refused('it names no subject');
  // Bound to a key of its owner (RFC 7800): presented as a plain bearer token, it may be stolen.
  if (cnf !== undefined) throw refused('it needs a proof of possession');
  if (!hasScope(claims, rules.scope))
    throw new ApiError('forbidden', `The access token lacks the scope ${rules.scope}`);
  return { subject: sub, expiresAt: exp === undefined ? undefined : Number(exp) * 1000 };
}

function judgeTimes({ exp, nbf, iat }: Record<string, unknown>, nowSeconds: number): void {
  if ([exp, nbf, iat].some((time) => time !== undefined && typeof time !== 'number'))
    throw refused('a time in it is not a number');
  if (Number(exp ?? Infinity) <= nowSeconds - LEEWAY_SECONDS) throw refused('it has expired');
  if (Number(nbf ?? 0) > nowSeconds + LEEWAY_SECONDS) throw refused('it is not yet valid');
  if (Number(iat ?? 0) > nowSeconds + LEEWAY_SECONDS) throw refused('it is issued in the future');
}

/** `scope` is a space-separated text (RFC 9068) or a list; some providers call it `scp`. */
function hasScope({ scope, scp }: Record<string, unknown>, required: string): boolean {
  const granted = [scope, scp].flat().flatMap((names) => (typeof names === 'string' ? names.split(' ') : []));
  return required.split(/\s+/).every((name) => name === '' || granted.includes(name));
}
