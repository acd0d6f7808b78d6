import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { type Identity, refused } from '../caller.js';

/** The content of a signed token, or what an introspection says about one. */
export type Claims = Record<string, unknown>;

const CLOCK_LEEWAY_SECONDS = 30;

/** Throws 401 / 105 unless a signed token is an access token, by its type (RFC 9068) or claims, with all required claims. */
export function requireSigned(typ: unknown, claims: Claims): void {
  if (typ !== undefined && !isOneOf(['at+jwt', 'application/at+jwt', 'jwt'], typ))
    throw refused(`its type ${quote([typ])} is not that of an access token`);
  requireUse(claims);
  if (typ === undefined || isOneOf(['jwt'], typ)) requireNotIdToken(claims);
  if (isAbsent(claims.iss)) throw refused('it names no issuer');
  if (isAbsent(claims.exp)) throw refused('it never expires');
  if (audiencesOf(claims).length === 0) throw refused('it names no audience');
}

/** Throws 401 / 105 if the introspected token (RFC 7662) is of another kind. The provider vouches for what it leaves out. */
export function requireIntrospected(claims: Claims): void {
  if (!isOneOf(['bearer'], claims.token_type ?? 'bearer')) throw refused('it is not a bearer token');
  requireUse(claims);
}

/** Whose access token it is; `issuer` as the metadata spells it. Throws 401 / 105, or 403 / 121 without the required scope. */
export function judge(claims: Claims, issuer: string, settings: Settings, now: number): Identity {
  const { iss, sub, exp, cnf } = claims;
  const bareIssuer = issuer.replace(/\/$/, '');
  if (!isAbsent(iss) && iss !== bareIssuer && iss !== `${bareIssuer}/`) throw refused('it is from another issuer');
  const audiences = audiencesOf(claims);
  if (audiences.length > 0 && !audiences.some((audience) => settings.oauthAudiences.includes(audience as string)))
    throw refused(`its audience is ${quote(audiences)}, not ${quote(settings.oauthAudiences)}`);
  judgeTimes(claims, now / 1000);
  if (typeof sub !== 'string' || sub === '') throw refused('it names no subject');
  // Bound to a key of its owner (RFC 7800): presented as a plain bearer token, it may be stolen.
  if (!isAbsent(cnf)) throw refused('it requires proof of possession');
  requireScopes(claims, settings.oauthRequiredScopes);
  const expiresAt = isAbsent(exp) ? undefined : Number(exp) * 1000;
  const keepMs = Math.min(settings.oauthTokenCacheSeconds * 1000, (expiresAt ?? Infinity) - now);
  return { issuer: settings.oauthUri, subject: sub, expiresAt, name: nameOf(claims), keepMs };
}

/** The name that a user would know: what providers call it, otherwise the subject. */
const nameOf = ({ preferred_username, username, email, name, sub }: Claims): string =>
  [preferred_username, username, email, name, sub].find((claim) => typeof claim === 'string' && claim !== '') as string;

/** Looks for what only ID tokens have (OpenID Connect Core, 2 and 3.3.2.11). */
function requireNotIdToken(claims: Claims): void {
  const { scope, scp, typ, token_use, uid, azp } = claims;
  if (scope === undefined && scp === undefined) throw refused('it has no scope, so it may be an ID token');
  const isKeycloak = isOneOf(['bearer'], typ);
  const isAuthentik = uid !== undefined && azp !== undefined;
  // Some providers copy the nonce into access tokens.
  const mayHaveNonce = isKeycloak || isAuthentik || token_use !== undefined;
  const marks = ['at_hash', 'c_hash', 's_hash', ...(mayHaveNonce ? [] : ['nonce'])];
  const found = marks.find((name) => claims[name] !== undefined);
  if (found !== undefined) throw refused(`it is an ID token: it has the claim ${found}`);
}

/** Some providers tell the use of a token among its claims: Keycloak in `typ`, Cognito in `token_use`. */
function requireUse({ typ, token_use, events }: Claims): void {
  const uses = ['access', 'access_token'];
  if (events !== undefined) throw refused('it is a logout token or another event');
  if (typ !== undefined && !isOneOf(['bearer', 'jwt', 'at+jwt', ...uses], typ))
    throw refused(`its kind is ${quote([typ])}, not that of an access token`);
  if (token_use !== undefined && !isOneOf(uses, token_use))
    throw refused(`its use is ${quote([token_use])}, not that of an access token`);
}

/** Cognito's access tokens name the client instead of an audience. */
function audiencesOf({ aud, token_use, client_id }: Claims): unknown[] {
  const named = isAbsent(aud) && token_use === 'access' ? client_id : aud;
  return isAbsent(named) ? [] : [named].flat();
}

function judgeTimes({ exp, nbf, iat }: Claims, nowSeconds: number): void {
  if ([exp, nbf, iat].some((time) => !isAbsent(time) && !Number.isFinite(time)))
    throw refused('a time in it is not a number');
  if (Number(exp ?? Infinity) <= nowSeconds - CLOCK_LEEWAY_SECONDS) throw refused('it has expired');
  if (Number(nbf ?? 0) > nowSeconds + CLOCK_LEEWAY_SECONDS) throw refused('it is not yet valid');
  if (Number(iat ?? 0) > nowSeconds + CLOCK_LEEWAY_SECONDS) throw refused('its time of issue is in the future');
}

/** `scope` is a space-separated text (RFC 9068) or a list; some providers call it `scp`. */
function requireScopes({ scope, scp }: Claims, required: readonly string[]): void {
  const granted = [scope, scp].flat().flatMap((names) => (typeof names === 'string' ? names.split(' ') : []));
  if (required.every((name) => granted.includes(name))) return;
  const named = granted.filter((name) => name !== '');
  const has = named.length > 0 ? `it has ${quote(named)}` : 'it has none';
  throw new ApiError('forbidden', `The access token lacks the scope ${required.join(' ')}: ${has}`);
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const isOneOf = (names: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && names.includes(value.toLowerCase());

/** For a message and the log: one line of bounded length. */
function quote(values: readonly unknown[]): string {
  const text = values.map((value) => JSON.stringify(value)).join(', ');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
