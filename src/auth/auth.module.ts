import { Module } from '@nestjs/common';
import { SharedRedis } from '../redis/shared-redis.js';
import { Authenticator } from './authenticator.js';
import { OAuthController } from './login/oauth.controller.js';
import { OAuthLogin } from './login/oauth-login.js';
import { IdentityProvider } from './provider/identity-provider.js';
import { ProviderKeys } from './provider/provider-keys.js';
import { BasicStrategy } from './strategies/basic.strategy.js';
import { BearerStrategy } from './strategies/bearer.strategy.js';
import { Introspection } from './tokens/introspection.js';
import { JwtAccessTokens } from './tokens/jwt-access-tokens.js';
import { LastUse } from './tokens/last-use.js';
import { PersonalTokens } from './tokens/personal-tokens.js';
import { ProviderTokens } from './tokens/provider-tokens.js';
import { redisTokenStore } from './tokens/redis-token-store.js';
import { SharedResults, TOKEN_STORE } from './tokens/shared-results.js';
import { TokenCache } from './tokens/token-cache.js';
import { TokenVerifier } from './tokens/token-verifier.js';

/**
 * Authenticates requests, and provides the login that obtains a token. The paths of the login contain the provider's name:
 * they are relative to the path at which the module is registered (`loginPath`).
 */
@Module({
  controllers: [OAuthController],
  providers: [
    Authenticator,
    BasicStrategy,
    BearerStrategy,
    IdentityProvider,
    Introspection,
    JwtAccessTokens,
    LastUse,
    OAuthLogin,
    PersonalTokens,
    ProviderKeys,
    ProviderTokens,
    SharedResults,
    TokenCache,
    TokenVerifier,
    {
      provide: TOKEN_STORE,
      useFactory: (redis: SharedRedis) => redis.client && redisTokenStore(redis.client),
      inject: [SharedRedis],
    },
  ],
  exports: [Authenticator, IdentityProvider, TokenVerifier],
})
export class AuthModule {}
