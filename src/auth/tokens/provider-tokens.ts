import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { IdentityProvider } from '../provider/identity-provider.js';
import { type CheckedToken, type Identity, refused } from './identity.js';
import { Introspection } from './introspection.js';
import { JwtAccessTokens, looksLikeJwt } from './jwt-access-tokens.js';
import { SharedResults } from './shared-results.js';

/** Verifies tokens of the identity provider: signed ones with its keys, others by introspection. */
@Injectable()
export class ProviderTokens {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly provider: IdentityProvider,
    private readonly jwts: JwtAccessTokens,
    private readonly introspection: Introspection,
    private readonly shared: SharedResults,
  ) {}

  /** Throws 401 / 105, 403 / 121, or 503 / 201 when the provider is not available. */
  async check(token: string): Promise<CheckedToken> {
    if (!this.settings.oauth.enabled) throw refused('no identity provider is set up here');
    return this.shared.known(token, () => this.identify(token));
  }

  private async identify(token: string): Promise<Identity> {
    const metadata = await this.provider.discovered();
    const judge = looksLikeJwt(token) ? this.jwts : this.introspection;
    return judge.identify(token, metadata);
  }
}
