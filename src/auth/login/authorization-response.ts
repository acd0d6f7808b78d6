import { ApiError, invalidParameter } from '../../protocol/api-error.js';

/**
 * The parameters with which the provider redirects the browser back after a login (RFC 6749, 4.1.2; `iss` from RFC
 * 9207).
 */
export interface AuthorizationResponse {
  code: string;
  state: string;
  iss?: string;
}

/**
 * Reads the query string of the callback. Throws 400 / 107 for an error that the provider reports and for a repeated
 * parameter, 400 / 108 for a missing one.
 */
export function readAuthorizationResponse(query: Record<string, unknown>): AuthorizationResponse {
  const error = readOnce(query, 'error');
  if (error !== undefined) throw invalidParameter('error', `the identity provider refused the login${nameOf(error)}`);
  const code = required(query, 'code');
  const state = required(query, 'state');
  const iss = readOnce(query, 'iss');
  return iss === undefined ? { code, state } : { code, state, iss };
}

function required(query: Record<string, unknown>, name: string): string {
  const value = readOnce(query, name);
  if (value === undefined) throw new ApiError('missingParameter', `${name}: is required`);
  return value;
}

function readOnce(query: Record<string, unknown>, name: string): string | undefined {
  const value = query[name];
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw invalidParameter(name, 'must be given once');
  return value;
}

/** Only what looks like a registered error code, as anybody can craft a link with arbitrary text. */
const nameOf = (error: string): string => (/^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '');
