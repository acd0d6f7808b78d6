import * as client from 'openid-client';
import type { Settings } from '../../config/settings.js';
import { boundedFetch, PROVIDER_LIMIT_MS } from './bounded-fetch.js';
import type { ProviderMetadata } from './provider-metadata.js';

/** The ways in which this service can prove to the provider who it is. */
const METHODS = {
  client_secret_basic: basic,
  client_secret_post: (secret: string) => client.ClientSecretPost(secret),
  client_secret_jwt: (secret: string) => client.ClientSecretJwt(secret),
};
export type Method = keyof typeof METHODS;

/** An endpoint at which a client has to authenticate itself. */
export type Endpoint = 'token' | 'introspection';

/** The methods to try at an endpoint, in this order, according to the provider's metadata. */
export function offeredMethods(metadata: ProviderMetadata, endpoint: Endpoint): Method[] {
  const { token_endpoint_auth_methods_supported, introspection_endpoint_auth_methods_supported } = metadata;
  const ofEndpoint = endpoint === 'introspection' ? introspection_endpoint_auth_methods_supported : undefined;
  const offered = [ofEndpoint ?? token_endpoint_auth_methods_supported ?? []].flat();
  const usable = (Object.keys(METHODS) as Method[]).filter((method) => offered.includes(method));
  return usable.length === 0 ? ['client_secret_basic'] : usable.slice(0, 2);
}

/** What openid-client needs to know of the provider, and of this service. */
export function configure(
  metadata: ProviderMetadata,
  settings: Settings,
  method: Method = 'client_secret_basic',
): client.Configuration {
  const authentication = METHODS[method](settings.oauthClientSecret);
  const configuration = new client.Configuration({ ...metadata }, settings.oauthClientId, undefined, authentication);
  configuration[client.customFetch] = (url, options) => boundedFetch(url, options);
  configuration.timeout = PROVIDER_LIMIT_MS / 1000;
  // Every endpoint is known to be https, or http on loopback.
  client.allowInsecureRequests(configuration);
  return configuration;
}

/**
 * HTTP Basic according to RFC 6749, 2.3.1. Unlike openid-client's own, it leaves `-`, `_`, `.` and `*` unencoded, as
 * form encoding does: many providers do not decode.
 */
function basic(secret: string): client.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
    const credentials = Buffer.from(`${encode(client_id)}:${encode(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
}

/**
 * The `resource` parameter (RFC 8707) of a login: the audience that `OAUTH_AUDIENCE` requires, if it is an http(s) URL.
 * Providers that issue tokens for several services need it; without the setting nothing is sent.
 */
export function resourceParameter({ oauthAudiences, oauthClientId }: Settings): { resource?: string } {
  const [audience] = oauthAudiences;
  const isRequired = oauthAudiences.length === 1 && audience !== undefined && audience !== oauthClientId;
  return isRequired && /^https?:\/\/[^#]+$/.test(audience) ? { resource: audience } : {};
}
