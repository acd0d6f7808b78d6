import { Injectable } from '@nestjs/common';
import * as client from 'openid-client';
import { isLoopback, withoutSlash } from '../../config/formats.js';
import { Settings } from '../../config/settings.js';
import { ApiError, serviceUnavailable } from '../../protocol/api-error.js';
import { QuietLog } from '../quiet-log.js';
import { boundedFetch, PROVIDER_LIMIT_MS, providerUnavailable, readNowAndThen, withinLimit } from './bounded-fetch.js';
import { configure, type Method, offeredMethods, ProviderRefusal } from './client-authentication.js';

const FAILURES = { token: 'the code could not be exchanged', introspection: 'introspection failed' };
const CLIENT_REFUSED = 'the provider refuses OAUTH_CLIENT_ID / OAUTH_CLIENT_SECRET';

/** The identity provider at `OAUTH_URI`; its metadata is read when first needed. */
@Injectable()
export class IdentityProvider {
  private readonly log = new QuietLog('IdentityProvider');
  /** Kept so briefly that a provider that comes back with other endpoints is used again within 15 seconds. */
  private readonly metadata = readNowAndThen(10_000, () => discover(this.settings));
  private lastAccepted?: Method;
  /** When it rejected this service, by the monotonic clock; undefined once it accepts it. */
  private refusedAt?: number;

  constructor(private readonly settings: Settings) {}

  /** Throws 503 / 201 when the metadata could never be read. */
  async discovered(): Promise<client.ServerMetadata> {
    return (await this.metadata.fetch('metadata'))!;
  }

  /**
   * Makes a call as this service, and logs what the provider says to refuse it, without the secrets that were sent. Throws
   * 503 / 201, or what `errorOf` makes of a refusal that concerns what was sent.
   */
  async call<T>(
    endpoint: keyof typeof FAILURES,
    send: (configuration: client.Configuration) => Promise<T>,
    secrets: readonly string[] = [],
    errorOf?: (refusal: ProviderRefusal) => ApiError | undefined,
  ): Promise<T> {
    const metadata = await this.discovered();
    const offered = offeredMethods(metadata, endpoint);
    let failure: unknown;
    for (const method of new Set([...offered.filter((each) => each === this.lastAccepted), ...offered])) {
      try {
        const result = await send(configure(metadata, this.settings, method));
        [this.lastAccepted, this.refusedAt] = [method, undefined];
        return result;
      } catch (error) {
        failure = error;
        if (!new ProviderRefusal(error).isOfClient) break;
      }
    }
    if (failure instanceof ApiError) throw failure;
    const refusal = new ProviderRefusal(failure);
    if (refusal.status !== undefined) {
      const text = refusal.textWithout([this.settings.oauthClientSecret, ...secrets]);
      this.log.warn(`the identity provider refuses a request to its ${endpoint} endpoint: ${text}`);
    }
    if (refusal.isOfClient) throw this.refusedClient();
    throw errorOf?.(refusal) ?? providerUnavailable(FAILURES[endpoint], failure);
  }

  /** Whether the provider is available, or why it does not accept this service. Resolves within 2.5 s. */
  async state(): Promise<boolean | string> {
    try {
      await withinLimit(this.probe(), 2_500);
    } catch {
      return false;
    }
    // A rejection is forgotten after a while, as only another login may be able to test it again.
    const isRefused = this.refusedAt !== undefined && performance.now() - this.refusedAt < 600_000;
    return isRefused ? CLIENT_REFUSED : true;
  }

  /** Without introspection there is no way to test the secret, so the outcome of the latest login counts. */
  private async probe(): Promise<void> {
    const metadata = await discover(this.settings);
    this.metadata.set('metadata', metadata);
    if (!metadata.introspection_endpoint) return;
    const introspect = (configuration: client.Configuration) => client.tokenIntrospection(configuration, 'heartbeat');
    await this.call('introspection', introspect).catch(() => undefined);
  }

  /** 503 / 201: the provider has rejected this service, which is logged once. */
  private refusedClient(): ApiError {
    if (this.refusedAt === undefined) this.log.error(CLIENT_REFUSED);
    this.refusedAt = performance.now();
    return serviceUnavailable(`Sign-in is not available: ${CLIENT_REFUSED}`, new Error('invalid_client'));
  }
}

/** By OpenID Connect discovery, otherwise by RFC 8414. Throws 503 / 201 if neither yields a usable document in time. */
async function discover({ oauthUri, oauthClientId }: Settings): Promise<client.ServerMetadata> {
  const signal = AbortSignal.timeout(PROVIDER_LIMIT_MS);
  const options = {
    execute: [client.allowInsecureRequests],
    [client.customFetch]: (url: string, init: RequestInit) => boundedFetch(url, { ...init, signal }),
  };
  const read = async (url: string) =>
    (await client.discovery(new URL(url), oauthClientId, undefined, undefined, options)).serverMetadata();
  const { origin, pathname } = new URL(oauthUri);
  const path = withoutSlash(pathname);
  const document = await read(`${origin}${path}/.well-known/openid-configuration`)
    .catch(() => read(`${origin}/.well-known/oauth-authorization-server${path}`))
    .catch((failure: unknown) => {
      throw providerUnavailable('its metadata cannot be read', failure);
    });
  requireUsable(document, oauthUri);
  return document;
}

/** Throws 503 / 201 for metadata of another issuer, with unsafe endpoints, or with which no token could be verified. */
function requireUsable(metadata: client.ServerMetadata, uri: string): void {
  // openid-client compares them only where it builds the URL itself, and a trailing slash would then matter.
  if (withoutSlash(metadata.issuer) !== withoutSlash(uri))
    throw providerUnavailable('its metadata names another issuer');
  for (const name of ['authorization_endpoint', 'token_endpoint', 'introspection_endpoint', 'jwks_uri'] as const) {
    const url: unknown = metadata[name];
    if (url === undefined) continue;
    if (typeof url !== 'string' || !URL.canParse(url)) throw providerUnavailable(`its ${name} is not a URL`);
    const { protocol, hostname } = new URL(url);
    if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname)))
      throw providerUnavailable(`its ${name} is not an https URL`);
  }
  if (!metadata.jwks_uri && !metadata.introspection_endpoint)
    throw providerUnavailable('its metadata has neither jwks_uri nor introspection_endpoint');
}
