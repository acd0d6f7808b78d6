import { parsePlainUrl, portOf } from '../../config/formats.js';
import { ApiError, invalidParameter } from '../../protocol/api-error.js';

type Query = Readonly<Record<string, unknown>>;

/** Longer URLs do not fit into a login cookie. */
const MAX_LENGTH = 2000;

/**
 * Reads the `redirect` parameter of a login: `ownPage`, or an absolute http(s) URL whose host is in the list. An entry is a
 * host name, or `*.` and a host name for its subdomains; a port restricts it to that port. Throws 400 / 107, or 108 without it.
 */
export function readRedirect(query: Query, domains: readonly string[], ownPage?: string): URL {
  const value = required(query, 'redirect');
  if (value.length > MAX_LENGTH) throw invalidParameter('redirect', `must have at most ${MAX_LENGTH} characters`);
  const url = parsePlainUrl(value);
  if (!url) throw invalidParameter('redirect', 'must be an absolute http or https URL');
  if (ownPage !== undefined && `${url.origin}${url.pathname}` === new URL(ownPage).href) return url;
  if (!domains.some((domain) => matchesDomain(url, domain)))
    throw invalidParameter('redirect', 'is not in a domain that OAUTH_REDIRECT_DOMAINS authorises');
  return url;
}

function matchesDomain(url: URL, domain: string): boolean {
  const entry = domain.replace(/^\*\./, '');
  const { hostname } = new URL(`http://${entry}`);
  const port = /:(\d+)$/.exec(entry)?.[1];
  if (port !== undefined && Number(port) !== Number(portOf(url))) return false;
  return entry === domain ? url.hostname === hostname : url.hostname.endsWith(`.${hostname}`);
}

/** Appends the token to the fragment, which neither servers nor `Referer` see; the redirect may end in `#auth:`. */
export const withToken = (redirect: string, token: string): string =>
  `${redirect}${redirect.includes('#') ? '' : '#'}${token}`;

/** The parameters with which the provider redirects the browser back (RFC 6749, 4.1.2; `iss` from RFC 9207). */
export type AuthorizationResponse = { code: string; state: string; iss?: string };

/** Throws 400 / 107 for an error that the provider reports and for a repeated parameter, 400 / 108 for a missing one. */
export function readAuthorizationResponse(query: Query): AuthorizationResponse {
  const error = readOnce(query, 'error');
  if (error !== undefined) {
    // Only what looks like a registered error code, as anybody can craft a link with arbitrary text.
    const code = /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
    throw invalidParameter('error', `the identity provider refused the login${code}`);
  }
  const response = { code: required(query, 'code'), state: required(query, 'state') };
  const iss = readOnce(query, 'iss');
  return iss === undefined ? response : { ...response, iss };
}

function required(query: Query, name: string): string {
  const value = readOnce(query, name);
  if (value === undefined) throw new ApiError('missingParameter', `${name}: is required`);
  return value;
}

function readOnce(query: Query, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw invalidParameter(name, 'must be given once');
  return value;
}
