import { Module } from '@nestjs/common';
import { Authenticator } from './authenticator.js';
import { IdentityProvider } from './provider/identity-provider.js';
import { ProviderKeys } from './provider/provider-keys.js';
import { BasicStrategy } from './strategies/basic.strategy.js';
import { BearerStrategy } from './strategies/bearer.strategy.js';
import { DeprovisionedUsers } from './tokens/deprovisioned-users.js';
import { PersonalTokens } from './tokens/personal-tokens.js';
import { ProviderTokens } from './tokens/provider-tokens.js';
import { SharedResults } from './tokens/shared-results.js';
import { TokenVerifier } from './tokens/token-verifier.js';

/** Authenticates requests. */
@Module({
  providers: [
    Authenticator,
    BasicStrategy,
    BearerStrategy,
    DeprovisionedUsers,
    IdentityProvider,
    PersonalTokens,
    ProviderKeys,
    ProviderTokens,
    SharedResults,
    TokenVerifier,
  ],
  exports: [Authenticator, IdentityProvider, TokenVerifier],
})
export class AuthModule {}
