import { Module } from '@nestjs/common';
import { AuthGuard } from './auth.guard.js';
import { IdentityProvider } from './provider/identity-provider.js';
import { PersonalTokens } from './tokens/personal-tokens.js';
import { ProviderTokens } from './tokens/provider-tokens.js';
import { DeprovisionedUsers } from './tokens/deprovisioned-users.js';
import { TokenVerifier } from './tokens/token-verifier.js';

@Module({
  providers: [AuthGuard, DeprovisionedUsers, IdentityProvider, PersonalTokens, ProviderTokens, TokenVerifier],
  exports: [AuthGuard, IdentityProvider, TokenVerifier],
})
export class AuthModule {}
