import { Inject, Injectable } from '@nestjs/common';
import * as client from 'openid-client';
import { CLOCK, type Clock, SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { providerUnavailable } from '../provider/bounded-fetch.js';
import { refusesClient } from '../provider/refuses-client.js';
import { type Identity, judgeClaims, refused } from './identity.js';
import { type DiscoveredProvider, IdentityProvider } from '../provider/identity-provider.js';

/** Verifies opaque access tokens by introspection (RFC 7662). */
@Injectable()
export class Introspection {
  constructor(
    private readonly provider: IdentityProvider,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The identity of a token. Throws 401 / 105, 403 / 121, or 503 / 201 when the provider gives no usable response. */
  async identify(token: string): Promise<Identity> {
    const provider = await this.provider.discovered();
    const claims = await this.ask(provider, token);
    if (!claims.active) throw refused('it is not active');
    if (!isBearerAccessToken(claims)) throw refused('it is not a bearer access token');
    const { uri, audiences, scope } = this.settings.oauth;
    const { issuer } = provider.metadata;
    return { issuer: uri, ...judgeClaims(claims, { issuer, audiences, scope, now: this.clock() }) };
  }

  private async ask({ metadata, client: configuration }: DiscoveredProvider, token: string) {
    // A provider with keys but without introspection issues only signed tokens.
    if (!metadata.introspection_endpoint) throw refused('it is not a signed token');
    try {
      const claims = await client.tokenIntrospection(configuration, token, { token_type_hint: 'access_token' });
      this.provider.acceptedClient();
      return claims;
    } catch (error) {
      if (isForeignForm(error)) throw refused('the provider does not know it');
      if (refusesClient(error)) throw this.provider.refusedClient();
      this.provider.distrust();
      throw providerUnavailable('introspection failed', error);
    }
  }
}

/** Some providers respond like this to a token that does not look like one of theirs. */
const isForeignForm = (error: unknown): boolean =>
  error instanceof client.ResponseBodyError && error.status === 400 && error.error === 'unsupported_token_type';

/** If the provider does not tell the type of an active token, it is taken for a bearer access token. */
const isBearerAccessToken = ({ token_type = 'bearer', token_use = 'access_token' }: Record<string, unknown>): boolean =>
  typeof token_type === 'string' && token_type.toLowerCase() === 'bearer' && token_use === 'access_token';
