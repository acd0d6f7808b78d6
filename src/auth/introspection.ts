import * as client from 'openid-client';
import type { Clock } from '../config/config.module.js';
import type { OAuthSettings } from '../config/settings.js';
import { providerUnavailable } from './bounded-fetch.js';
import { type Identity, judgeClaims, refused } from './identity.js';
import type { DiscoveredProvider, IdentityProvider } from './identity-provider.js';

/** Opaque access tokens, checked by asking the provider (RFC 7662). */
export class Introspection {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly oauth: OAuthSettings,
    private readonly clock: Clock,
  ) {}

  /** The identity of a token. Throws 401 / 105, 403 / 121, or 503 / 201 when the provider gives no usable answer. */
  async identify(token: string): Promise<Identity> {
    const provider = await this.provider.discovered();
    const claims = await this.ask(provider, token);
    if (!claims.active) throw refused('it is not active');
    if (!isBearerAccessToken(claims)) throw refused('it is no bearer access token');
    const { uri, audiences, scope } = this.oauth;
    const { issuer } = provider.metadata;
    return { issuer: uri, ...judgeClaims(claims, { issuer, audiences, scope, now: this.clock() }) };
  }

  private async ask({ metadata, client: configuration }: DiscoveredProvider, token: string) {
    // A provider that publishes keys and no introspection issues signed tokens only.
    if (!metadata.introspection_endpoint) throw refused('it is not a signed token');
    try {
      return await client.tokenIntrospection(configuration, token, { token_type_hint: 'access_token' });
    } catch (error) {
      if (isForeignForm(error)) throw refused('the provider does not know it');
      this.provider.distrust();
      throw providerUnavailable('introspection failed', error);
    }
  }
}

/** Some providers answer so for a token that is not in the form of their opaque ones. */
const isForeignForm = (error: unknown): boolean =>
  error instanceof client.ResponseBodyError && error.status === 400 && error.error === 'unsupported_token_type';

/** A provider that says nothing about the kind of an active token is believed to have been asked about an access token. */
const isBearerAccessToken = ({ token_type = 'bearer', token_use = 'access_token' }: Record<string, unknown>): boolean =>
  typeof token_type === 'string' && token_type.toLowerCase() === 'bearer' && token_use === 'access_token';
