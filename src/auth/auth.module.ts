import { type DynamicModule, Module } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { Settings } from '../config/settings.js';
import { IdentityProvider } from './identity-provider.js';
import { createOAuthController } from './oauth.controller.js';
import { REDIS } from '../redis/redis.module.js';
import { redisTokenStore } from './redis-token-store.js';
import { TOKEN_STORE } from './shared-results.js';
import { TokenVerifier } from './token-verifier.js';

/** Who a request comes from: token verification, and the login that gets a token. */
@Module({})
export class AuthModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AuthModule,
      controllers: [createOAuthController(settings.oauth.providerName)],
      providers: [
        IdentityProvider,
        TokenVerifier,
        {
          provide: TOKEN_STORE,
          useFactory: (redis: Redis | undefined) => redis && redisTokenStore(redis),
          inject: [REDIS],
        },
      ],
      exports: [IdentityProvider, TokenVerifier],
    };
  }
}
