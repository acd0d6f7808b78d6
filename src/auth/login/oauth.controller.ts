import { All, Controller, type DynamicModule, Get, Header, Module, Req, Res } from '@nestjs/common';
import { RouterModule } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Settings } from '../../config/settings.js';
import { Public } from '../../http/access.js';
import { publicUrl } from '../../http/request/request-url.js';
import { Reply } from '../../http/response/reply.js';
import { ApiError } from '../../protocol/api-error.js';
import { AuthModule } from '../auth.module.js';
import { loginCookieName, loginCookieOptions, readLoginCookies, surplusLoginCookies } from './login-cookie.js';
import { readAuthorizationResponse, readRedirect } from './login-parameters.js';
import { OAuthLogin } from './oauth-login.js';

/** The login of `docs/protocol.md`, at `loginPath`. The code and state in its URLs must not leak to later pages. */
@Public()
@Controller()
export class OAuthController {
  constructor(
    private readonly settings: Settings,
    private readonly login: OAuthLogin,
  ) {}

  /** What a client needs to talk to the identity provider directly. */
  @Get('params')
  showParameters() {
    const { oauthClientId, oauthUri, oauthScope } = this.settings;
    return { client_id: oauthClientId, oauth_uri: oauthUri, scope: oauthScope };
  }

  /** Redirects to the provider. Throws 400 / 107 or 108 for an invalid or missing `redirect`, 503 / 201 if the provider is down. */
  @Get('login')
  @Header('Referrer-Policy', 'no-referrer')
  async begin(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<Reply> {
    const { webAppEnabled, publicUrl: base, oauthRedirectDomains } = this.settings;
    // Only a configured URL: the request's own headers are no reason to trust a host.
    const ownPage = webAppEnabled && base !== undefined ? `${base}/app/` : undefined;
    const redirect = readRedirect(request.query, oauthRedirectDomains, ownPage);
    const callback = this.callback(request);
    const { location, state, sealed } = await this.login.begin(redirect.href, callback, request.context);
    const options = loginCookieOptions(callback);
    for (const name of surplusLoginCookies(readLoginCookies(request.headers.cookie), sealed.length))
      response.cookie(name, '', { ...options, maxAge: 0 });
    response.cookie(loginCookieName(state), sealed, { ...options, maxAge: this.settings.oauthStateSeconds * 1000 });
    return new Reply(302, undefined, { Location: location });
  }

  /** The provider's callback. Throws 400 / 107 or 108 for an error or incomplete response, or like `finish`. */
  @Get('token')
  @Header('Referrer-Policy', 'no-referrer')
  async finish(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<Reply> {
    const sealed = this.takeCookie(request, response);
    try {
      const location = await this.login.finish(sealed, readAuthorizationResponse(request.query), request.context);
      return new Reply(302, undefined, { Location: location });
    } catch (error) {
      // The code may still be valid: the same URL can be retried when the provider is back.
      if (error instanceof ApiError && error.kind === 'unavailable') response.removeHeader('Set-Cookie');
      throw error;
    }
  }

  /** The cookie of the login that the request names, if the browser has it; the response removes it. */
  private takeCookie(request: Request, response: Response): string | undefined {
    const { state } = request.query;
    if (typeof state !== 'string') return undefined;
    const name = loginCookieName(state);
    const sealed = readLoginCookies(request.headers.cookie).get(name);
    if (sealed !== undefined) response.cookie(name, '', { ...loginCookieOptions(this.callback(request)), maxAge: 0 });
    return sealed;
  }

  private callback(request: Request): string {
    return `${publicUrl(request, this.settings)}/${loginPath(this.settings)}/token`;
  }
}

/** The path below which the login is. */
export const loginPath = ({ oauthProviderName }: Settings): string => `v2/${oauthProviderName}-oauth`;

/** Takes the place of the login where no identity provider is configured: 404 / 111 for every method. */
@Public({ isUnlimited: true })
@Controller()
export class NoProviderController {
  @All('{*path}')
  refuse(): never {
    throw new ApiError('notFound', 'No identity provider is set up here (OAUTH_URI); sign in with a personal token');
  }
}

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
