import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import type { Settings } from '../config/settings.js';
import { AuthGuard } from './auth.guard.js';
import { loginPath, NoProviderController, OAuthController } from './login/oauth.controller.js';
import { OAuthLogin } from './login/oauth-login.js';
import { IdentityProvider } from './provider/identity-provider.js';
import { BasicStrategy, BearerStrategy } from './strategies.js';
import { DeprovisionedUsers } from './tokens/deprovisioned-users.js';
import { PersonalTokens } from './tokens/personal-tokens.js';
import { ProviderTokens } from './tokens/provider-tokens.js';
import { TokenVerifier } from './tokens/token-verifier.js';

@Module({
  providers: [
    AuthGuard,
    BasicStrategy,
    BearerStrategy,
    DeprovisionedUsers,
    IdentityProvider,
    PersonalTokens,
    ProviderTokens,
    TokenVerifier,
  ],
  exports: [AuthGuard, IdentityProvider, TokenVerifier],
})
export class AuthModule {}

/** The login that gets web pages a token of the identity provider. Its paths contain the provider's name, a setting. */
@Module({})
export class LoginModule {
  static forRoot(settings: Settings): DynamicModule {
    const routes = RouterModule.register([{ path: loginPath(settings), module: LoginModule }]);
    const login = settings.oauthEnabled
      ? { controllers: [OAuthController], providers: [OAuthLogin] }
      : { controllers: [NoProviderController] };
    return { module: LoginModule, imports: [AuthModule, routes], ...login };
  }
}
