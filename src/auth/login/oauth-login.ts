import { Inject, Injectable } from '@nestjs/common';
import * as client from 'openid-client';
import { NOW, type Now } from '../../config/now.js';
import { Settings } from '../../config/settings.js';
import { ApiError, invalidParameter } from '../../protocol/api-error.js';
import type { RequestContext } from '../../http/request/request-context.js';
import { ServiceStatus } from '../../http/service-status.js';
import { Semaphore } from '../../semaphore.js';
import { providerUnavailable, withinLimit } from '../provider/bounded-fetch.js';
import { challenge } from '../auth.guard.js';
import { IdentityProvider } from '../provider/identity-provider.js';
import { configure, type ProviderRefusal, resourceParameter } from '../provider/client-authentication.js';
import { isBearerToken } from '../tokens/token-verifier.js';
import { loginKey, openLogin, type PendingLogin, sealLogin } from './login-cookie.js';
import { type AuthorizationResponse, withToken } from './login-parameters.js';

/** The authorization-code flow with PKCE (RFC 6749, RFC 7636). Stateless: any instance can finish any login. */
@Injectable()
export class OAuthLogin {
  private readonly key = loginKey(this.settings.sessionSecret);
  /** Bounds the calls to a hung provider: unlike discovery, no two logins share one. */
  private readonly exchanges = new Semaphore({
    slots: 200,
    waitingPerKey: 0,
    timeoutMs: 0,
    refusal: 'Too many logins are in progress; try again later',
  });

  constructor(
    private readonly provider: IdentityProvider,
    private readonly settings: Settings,
    @Inject(NOW) private readonly now: Now,
    private readonly status: ServiceStatus,
  ) {}

  /** Begins a login that ends at `redirect`: where to send the browser, with which sealed state. Throws 503 / 201. */
  async begin(redirect: string, redirect_uri: string, request: RequestContext) {
    const metadata = await this.provided(request, this.provider.discovered());
    if (!metadata.authorization_endpoint) throw providerUnavailable('it has no authorization endpoint');
    const { settings } = this;
    const login = { state: client.randomState(), verifier: client.randomPKCECodeVerifier(), redirect, redirect_uri };
    const parameters = new URLSearchParams(settings.oauthLoginParameters);
    const own = {
      redirect_uri,
      scope: settings.oauthScope,
      state: login.state,
      code_challenge: await client.calculatePKCECodeChallenge(login.verifier),
      code_challenge_method: 'S256',
      ...resourceParameter(settings),
    };
    for (const [name, value] of Object.entries(own)) parameters.set(name, value);
    const location = client.buildAuthorizationUrl(configure(metadata, settings), parameters);
    const expiresAt = this.now() + settings.oauthStateSeconds * 1000;
    return { location: location.href, state: login.state, sealed: await sealLogin(login, this.key, expiresAt) };
  }

  /**
   * Exchanges the code for an access token, and returns where to hand it to. Throws 401 / 105 for a login that is missing,
   * expired, forged or of another state, 400 / 107 when the provider rejects the code, 503 / 201 when it is down.
   */
  async finish(sealed: string | undefined, response: AuthorizationResponse, request: RequestContext) {
    const login = sealed === undefined ? undefined : await openLogin(sealed, this.key, this.now());
    if (login?.state !== response.state)
      throw new ApiError('invalidAuthorization', 'The login is unknown or has expired; start again', {
        'WWW-Authenticate': challenge(this.settings, { isRefused: true, bearerOnly: true }),
      });
    const exchange = () => this.exchange(login, response);
    const token = await this.provided(request, this.exchanges.run('', {}, exchange));
    return withToken(login.redirect, token);
  }

  /** Awaits the provider for a limited time, without counting the request as load: it may hang. */
  private provided<T>(request: RequestContext, work: Promise<T>): Promise<T> {
    return withinLimit(work).finally(this.status.monitor.pause(request));
  }

  private async exchange(login: PendingLogin, response: AuthorizationResponse): Promise<string> {
    requireIssuer(response.iss, await this.provider.discovered());
    const callback = new URL(login.redirect_uri);
    callback.search = new URLSearchParams({ ...response }).toString();
    const checks = { expectedState: login.state, pkceCodeVerifier: login.verifier };
    const resource = resourceParameter(this.settings);
    const exchange = (configuration: client.Configuration) =>
      client.authorizationCodeGrant(configuration, callback, checks, resource);
    const tokens = await this.provider.call('token', exchange, [response.code, login.verifier], refusedCode);
    if (tokens.token_type !== 'bearer' || !isBearerToken(tokens.access_token))
      throw providerUnavailable('it issued no bearer token');
    return tokens.access_token;
  }
}

/** Rejects a response of another provider (mix-up attack, RFC 9207). */
function requireIssuer(iss: string | undefined, metadata: client.ServerMetadata): void {
  if (iss !== undefined && iss !== metadata.issuer) throw invalidParameter('iss', 'names another identity provider');
  if (iss === undefined && metadata.authorization_response_iss_parameter_supported)
    throw new ApiError('missingParameter', 'iss: is required');
}

/** 400 / 107 if it is the code that is refused, and not how this service is registered. */
function refusedCode({ status, error = '' }: ProviderRefusal): ApiError | undefined {
  const isOfRegistration = ['unauthorized_client', 'unsupported_grant_type'].includes(error);
  const isOfCode = error === 'invalid_grant' || (status === 400 && /^[a-z_]{1,40}$/.test(error) && !isOfRegistration);
  return isOfCode ? invalidParameter('code', `the identity provider refused it (${error})`) : undefined;
}
