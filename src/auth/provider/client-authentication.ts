import * as client from 'openid-client';
import type { Settings } from '../../config/settings.js';
import { boundedFetch, PROVIDER_LIMIT_MS } from './bounded-fetch.js';

const METHODS = {
  client_secret_basic: basic,
  client_secret_post: (secret: string) => client.ClientSecretPost(secret),
  client_secret_jwt: (secret: string) => client.ClientSecretJwt(secret),
};
export type Method = keyof typeof METHODS;

/** The methods to try at an endpoint, in this order, according to the provider's metadata. */
export function offeredMethods(metadata: client.ServerMetadata, endpoint: 'token' | 'introspection'): Method[] {
  const ofEndpoint = metadata[`${endpoint}_endpoint_auth_methods_supported`];
  const offered = [ofEndpoint ?? metadata.token_endpoint_auth_methods_supported ?? []].flat();
  const usable = (Object.keys(METHODS) as Method[]).filter((method) => offered.includes(method));
  return usable.length === 0 ? ['client_secret_basic'] : usable.slice(0, 2);
}

/** What openid-client needs to know of the provider, and of this service. */
export function configure(
  metadata: client.ServerMetadata,
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

/** HTTP Basic (RFC 6749, 2.3.1). openid-client would encode `-`, `_`, `.` and `*` too, which many providers do not decode. */
function basic(secret: string): client.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
    const credentials = Buffer.from(`${encode(client_id)}:${encode(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
}

/** The `resource` of a login (RFC 8707), which providers of several services need: `OAUTH_AUDIENCE`, if it is a URL. */
export function resourceParameter({ oauthAudiences, oauthClientId }: Settings): { resource?: string } {
  const [audience = oauthClientId, ...others] = oauthAudiences;
  const isRequired = others.length === 0 && audience !== oauthClientId;
  return isRequired && /^https?:\/\/[^#]+$/.test(audience) ? { resource: audience } : {};
}

/** What the provider said when it refused a call: its status, and the OAuth error if it named one (RFC 6749, 5.2). */
export class ProviderRefusal {
  /** Undefined if the provider gave no response. */
  readonly status?: number;
  readonly error?: string;
  private readonly description?: string;

  constructor(failure: unknown) {
    const { cause } = (failure ?? {}) as { cause?: unknown };
    if (failure instanceof client.ResponseBodyError)
      ({ status: this.status, error: this.error, error_description: this.description } = failure);
    else if (cause instanceof Response) this.status = cause.status;
  }

  /** Whether it is this service that is not accepted. Keycloak calls that `unauthorized_client`; some send a bare 401. */
  get isOfClient(): boolean {
    const { status, error } = this;
    return error === 'invalid_client' || (status === 401 && (error === undefined || error === 'unauthorized_client'));
  }

  /** A line for the log. The provider's text may be long, or quote the secrets that were sent. */
  textWithout(secrets: readonly string[]): string {
    const reason = this.error ?? `status ${this.status}`;
    const said = this.description === undefined ? reason : `${reason}: ${this.description}`;
    const bare = secrets.reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, '…')), said);
    return bare.replace(/\p{Cc}+/gu, ' ').slice(0, 300);
  }
}
