import { Inject, Injectable } from '@nestjs/common';
import * as client from 'openid-client';
import { type Clock, CLOCK, SETTINGS } from '../config/config.module.js';
import type { OAuthSettings, Settings } from '../config/settings.js';
import { boundedFetch, PROVIDER_LIMIT_MS, withinLimit } from './bounded-fetch.js';
import { discover, type ProviderMetadata } from './provider-metadata.js';
import { Remembered } from './remembered.js';

/** How long what the provider publishes is used without asking again, and a failure to read it is remembered. */
export const PROVIDER_LIFETIMES = { freshMs: 600_000, failureMs: 1500 };

const REACHABLE_LIMIT_MS = 2500;

/** What discovery found, and the openid-client configuration made of it. */
export interface DiscoveredProvider {
  metadata: ProviderMetadata;
  client: client.Configuration;
}

/** The identity provider at `OAUTH_URI`, asked for its metadata when it is first needed. */
@Injectable()
export class IdentityProvider {
  private readonly remembered: Remembered<DiscoveredProvider>;
  private probe?: Promise<boolean>;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) clock: Clock,
  ) {
    this.remembered = new Remembered(() => this.discover(), PROVIDER_LIFETIMES, clock);
  }

  /** The provider, read at most ten minutes ago unless it is away since. Throws 503 / 201 when it was never readable. */
  discovered(): Promise<DiscoveredProvider> {
    return this.remembered.get();
  }

  /** Reads the metadata again before its next use: an endpoint it names has failed and may have moved. */
  distrust(): void {
    this.remembered.expire();
  }

  /** True when the provider gives usable metadata now, within 2.5 s. */
  async isReachable(): Promise<boolean> {
    this.probe ??= withinLimit(discover(this.settings.oauth.uri, REACHABLE_LIMIT_MS), REACHABLE_LIMIT_MS)
      .then(
        () => true,
        () => false,
      )
      .finally(() => (this.probe = undefined));
    return this.probe;
  }

  private async discover(): Promise<DiscoveredProvider> {
    const metadata = await discover(this.settings.oauth.uri, PROVIDER_LIMIT_MS);
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
  // Every endpoint was found to be https, or http on loopback, when the metadata was read.
  client.allowInsecureRequests(configuration);
  return configuration;
}

/**
 * HTTP Basic as RFC 6749, 2.3.1 has it. Unlike openid-client's own it leaves `-`, `_`, `.` and `*` alone, which form
 * encoding does as well: many providers do not decode.
 */
const basicAuthentication =
  (secret: string): client.ClientAuth =>
  (_server, { client_id }, _body, headers) => {
    const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
    const credentials = Buffer.from(`${encode(client_id)}:${encode(secret)}`).toString('base64');
    headers.set('authorization', `Basic ${credentials}`);
  };
