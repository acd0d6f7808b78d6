import { type DynamicModule, Module } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import type { Settings } from '../../config/settings.js';
import { AuthModule } from '../auth.module.js';
import { loginPath, NoProviderController, OAuthController } from './oauth.controller.js';
import { OAuthLogin } from './oauth-login.js';

/**
 * The login through which web pages and devices get a token of the identity provider. Its paths contain the provider's
 * name, a setting.
 */
@Module({})
export class LoginModule {
  static forRoot(settings: Settings): DynamicModule {
    const routes = RouterModule.register([{ path: loginPath(settings), module: LoginModule }]);
    if (!settings.oauthEnabled) return { module: LoginModule, imports: [routes], controllers: [NoProviderController] };
    return {
      module: LoginModule,
      imports: [AuthModule, routes],
      controllers: [OAuthController],
      providers: [OAuthLogin],
    };
  }
}
