import * as client from 'openid-client';
import { isLoopback } from '../../config/formats.js';
import { boundedFetch, providerUnavailable } from './bounded-fetch.js';

/** What the provider publishes about itself (OpenID Connect Discovery, RFC 8414). */
export type ProviderMetadata = Readonly<client.ServerMetadata>;

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'introspection_endpoint', 'jwks_uri'] as const;

/**
 * Reads the metadata of the provider whose issuer is `uri`: by OpenID Connect discovery, otherwise by RFC 8414. Throws
 * 503 / 201 when neither yields a usable document within `limitMs`.
 */
export async function discover(uri: string, clientId: string, limitMs: number): Promise<ProviderMetadata> {
  const signal = AbortSignal.timeout(limitMs);
  const options = {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: (url: string, init: RequestInit) => boundedFetch(url, { ...init, signal }),
  };
  const read = async (url: string) =>
    (await client.discovery(new URL(url), clientId, undefined, undefined, options)).serverMetadata();
  const { origin, pathname } = new URL(uri);
  const path = pathname.replace(/\/+$/, '');
  const document = await read(`${origin}${path}/.well-known/openid-configuration`)
    .catch(() => read(`${origin}/.well-known/oauth-authorization-server${path}`))
    .catch((failure: unknown) => {
      throw providerUnavailable('its metadata cannot be read', failure);
    });
  requireUsable(document, uri);
  return document;
}

/**
 * Throws 503 / 201 for metadata of another issuer, with an endpoint that is not an https URL (plain http only on
 * loopback), or with which no token could be verified.
 */
export function requireUsable(metadata: ProviderMetadata, uri: string): void {
  // openid-client compares them where it makes up the URL itself, but then a slash at the end would matter.
  if (withoutSlash(metadata.issuer) !== withoutSlash(uri))
    throw providerUnavailable('its metadata is of another issuer');
  for (const name of ENDPOINTS) if (metadata[name] !== undefined) requireSafeUrl(name, metadata[name]);
  if (!metadata.jwks_uri && !metadata.introspection_endpoint)
    throw providerUnavailable('its metadata has neither jwks_uri nor introspection_endpoint');
}

const withoutSlash = (text: string): string => text.replace(/\/+$/, '');

function requireSafeUrl(name: string, value: unknown): void {
  if (typeof value !== 'string' || !URL.canParse(value)) throw providerUnavailable(`its ${name} is not a URL`);
  const { protocol, hostname } = new URL(value);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw providerUnavailable(`its ${name} is not an https URL`);
}
