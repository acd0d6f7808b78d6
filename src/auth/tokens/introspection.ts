import { Inject, Injectable } from '@nestjs/common';
import * as client from 'openid-client';
import { CLOCK, type Clock, SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { providerUnavailable } from '../provider/bounded-fetch.js';
import { IdentityProvider } from '../provider/identity-provider.js';
import type { ProviderMetadata } from '../provider/provider-metadata.js';
import { refusalOf } from '../provider/provider-refusal.js';
import { type Claims, judgeIntrospected } from './claims.js';
import { type Identity, refused } from './identity.js';

/** Verifies opaque and encrypted access tokens by introspection (RFC 7662). */
@Injectable()
export class Introspection {
  constructor(
    private readonly provider: IdentityProvider,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The identity of a token. Throws 401 / 105, 403 / 121, or 503 / 201 when the provider gives no usable response. */
  async identify(token: string, { issuer, introspection_endpoint }: ProviderMetadata): Promise<Identity> {
    if (introspection_endpoint === undefined) {
      const kind = token.split('.').length === 5 ? 'encrypted' : 'opaque, not a signed token';
      throw refused(`it is ${kind}, and the identity provider has no introspection endpoint to check it with`);
    }
    const claims = await this.ask(token);
    if (claims.active !== true) throw refused('it is not active');
    const { uri, audiences, requiredScopes } = this.settings.oauth;
    return {
      issuer: uri,
      ...judgeIntrospected(claims, { issuer, audiences, requiredScopes, now: this.clock() }),
    };
  }

  private async ask(token: string): Promise<Claims> {
    const introspect = (configuration: client.Configuration) =>
      client.tokenIntrospection(configuration, token, { token_type_hint: 'access_token' });
    try {
      return await this.provider.call('introspection', introspect, [token]);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      // Some providers respond like this to a token that does not look like one of theirs.
      const { status, error: code } = refusalOf(error);
      if (status === 400 && code === 'unsupported_token_type') throw refused('the provider does not know it');
      this.provider.distrust();
      throw providerUnavailable('introspection failed', error);
    }
  }
}
