import { Inject, Injectable, Logger } from '@nestjs/common';
import * as client from 'openid-client';
import { MONOTONIC_CLOCK, type MonotonicClock, SETTINGS } from '../../config/settings.module.js';
import type { OAuthSettings, Settings } from '../../config/settings.js';
import type { ApiError } from '../../protocol/api-error.js';
import { boundedFetch, CLIENT_REFUSED, clientRefused, PROVIDER_LIMIT_MS, withinLimit } from './bounded-fetch.js';
import { discover, type ProviderMetadata } from './provider-metadata.js';
import { refusesClient } from './refuses-client.js';
import { Remembered } from '../tokens/remembered.js';

/** How long the provider's metadata and keys count as fresh, and how long a failure to read them is remembered. */
export const PROVIDER_LIFETIMES = { freshMs: 600_000, failureMs: 1500 };

const PROBE_LIMIT_MS = 2500;
/** How long a rejection counts if only another login can test it again. */
const REFUSAL_COUNTS_MS = 600_000;

/** The provider's metadata, and the openid-client configuration derived from it. */
export interface DiscoveredProvider {
  metadata: ProviderMetadata;
  client: client.Configuration;
}

/** `refusesClient`: it is available but does not accept this service's id and secret. */
export type ProviderState = 'ready' | 'unavailable' | 'refusesClient';

/** The identity provider at `OAUTH_URI`; its metadata is read when first needed. */
@Injectable()
export class IdentityProvider {
  private readonly logger = new Logger('IdentityProvider');
  private readonly remembered: Remembered<DiscoveredProvider>;
  /** When it rejected this service, by the monotonic clock; undefined once it accepts it. */
  private refusedAt?: number;
  private probe?: Promise<ProviderState>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(MONOTONIC_CLOCK) private readonly clock: MonotonicClock,
  ) {
    this.remembered = new Remembered(() => this.discover(PROVIDER_LIMIT_MS), PROVIDER_LIFETIMES, clock);
  }

  /**
   * The provider, with metadata at most ten minutes old unless it has been unavailable since. Throws 503 / 201 when its metadata
   * could never be read.
   */
  discovered(): Promise<DiscoveredProvider> {
    return this.remembered.get();
  }

  /** Rereads the metadata before its next use: one of its endpoints has failed and may have moved. */
  distrust(): void {
    this.remembered.expire();
  }

  /** The provider has accepted the id and the secret of this service. */
  acceptedClient(): void {
    this.refusedAt = undefined;
  }

  /** The provider has rejected them: logs that once, and returns the 503 / 201. */
  refusedClient(): ApiError {
    if (this.refusedAt === undefined) this.logger.error(CLIENT_REFUSED);
    this.refusedAt = this.clock();
    return clientRefused();
  }

  /** Whether the provider is available and accepts this service. Changes nothing, and resolves within 2.5 s. */
  async state(): Promise<ProviderState> {
    this.probe ??= withinLimit(this.check(), PROBE_LIMIT_MS)
      .catch((): ProviderState => 'unavailable')
      .finally(() => (this.probe = undefined));
    return this.probe;
  }

  /** Without introspection there is no way to test the secret, so the outcome of the latest login counts. */
  private async check(): Promise<ProviderState> {
    const { metadata, client: configuration } = await this.discover(PROBE_LIMIT_MS);
    if (metadata.introspection_endpoint) {
      const failure: unknown = await client
        .tokenIntrospection(configuration, 'heartbeat')
        .catch((error: unknown) => error);
      if (refusesClient(failure)) this.refusedClient();
      else this.acceptedClient();
    }
    const isRefused = this.refusedAt !== undefined && this.clock() - this.refusedAt < REFUSAL_COUNTS_MS;
    return isRefused ? 'refusesClient' : 'ready';
  }

  private async discover(limitMs: number): Promise<DiscoveredProvider> {
    const metadata = await discover(this.settings.oauth.uri, limitMs);
    return { metadata, client: configure(metadata, this.settings.oauth) };
  }
}

function configure(metadata: ProviderMetadata, oauth: OAuthSettings): client.Configuration {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const authentication = methods.includes('client_secret_basic')
    ? basicAuthentication(oauth.clientSecret)
    : client.ClientSecretPost(oauth.clientSecret);
  const configuration = new client.Configuration({ ...metadata }, oauth.clientId, undefined, authentication);
  configuration[client.customFetch] = (url, options) => boundedFetch(url, options);
  configuration.timeout = PROVIDER_LIMIT_MS / 1000;
  // `readMetadata` has checked that every endpoint is https, or http on loopback.
  client.allowInsecureRequests(configuration);
  return configuration;
}

/**
 * HTTP Basic according to RFC 6749, 2.3.1. Unlike openid-client's own, it leaves `-`, `_`, `.` and `*` unencoded, as
 * form encoding does: many providers do not decode.
 */
const basicAuthentication =
  (secret: string): client.ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
    const credentials = Buffer.from(`${encode(client_id)}:${encode(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
