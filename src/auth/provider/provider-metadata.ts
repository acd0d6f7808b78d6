import { isLoopback } from '../../config/formats.js';
import { fetchJsonObject, providerUnavailable } from './bounded-fetch.js';

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'introspection_endpoint', 'jwks_uri'] as const;
const LISTS = ['token_endpoint_auth_methods_supported', 'id_token_signing_alg_values_supported'] as const;

/** The part of a provider's discovery document that the service uses; names as in RFC 8414. */
export interface ProviderMetadata {
  issuer: string;
  authorization_endpoint?: string;
  token_endpoint?: string;
  introspection_endpoint?: string;
  jwks_uri?: string;
  token_endpoint_auth_methods_supported?: string[];
  id_token_signing_alg_values_supported?: string[];
  authorization_response_iss_parameter_supported: boolean;
}

/**
 * Reads the metadata of the provider whose issuer is `uri`: by OpenID Connect discovery, otherwise by RFC 8414. Throws
 * 503 / 201 when neither yields a usable document within `limitMs`.
 */
export async function discover(uri: string, limitMs: number): Promise<ProviderMetadata> {
  const signal = AbortSignal.timeout(limitMs);
  const read = (url: string) => fetchJsonObject(url, signal);
  const { origin, pathname } = new URL(uri);
  const path = pathname.replace(/\/+$/, '');
  let document;
  try {
    document = await read(`${origin}${path}/.well-known/openid-configuration`);
  } catch (failure) {
    if (signal.aborted) throw failure;
    document = await read(`${origin}/.well-known/oauth-authorization-server${path}`);
  }
  return readMetadata(document, uri);
}

/**
 * Extracts the metadata from a discovery document. Throws 503 / 201 when it is another issuer's, when an endpoint is
 * not an https URL (plain http only on loopback), or when tokens could not be verified with it.
 */
export function readMetadata(document: Record<string, unknown>, uri: string): ProviderMetadata {
  const issuer = document.issuer;
  if (typeof issuer !== 'string' || withoutSlash(issuer) !== withoutSlash(uri))
    throw providerUnavailable('its metadata is of another issuer');
  const metadata: ProviderMetadata = {
    issuer,
    authorization_response_iss_parameter_supported: document.authorization_response_iss_parameter_supported === true,
  };
  for (const name of ENDPOINTS) if (document[name] !== undefined) metadata[name] = readEndpoint(name, document[name]);
  if (!metadata.jwks_uri && !metadata.introspection_endpoint)
    throw providerUnavailable('its metadata has neither jwks_uri nor introspection_endpoint');
  for (const name of LISTS) {
    const list = document[name];
    if (Array.isArray(list)) metadata[name] = list.filter((item) => typeof item === 'string');
  }
  return metadata;
}

const withoutSlash = (text: string): string => text.replace(/\/+$/, '');

function readEndpoint(name: string, value: unknown): string {
  if (typeof value !== 'string' || !URL.canParse(value)) throw providerUnavailable(`its ${name} is not a URL`);
  const { protocol, hostname } = new URL(value);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
    throw providerUnavailable(`its ${name} is not an https URL`);
  return value;
}
