import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { decodeJwt, decodeProtectedHeader, errors } from 'jose';
import * as client from 'openid-client';
import { NOW, type Now } from '../../config/now.js';
import { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { SharedRedis } from '../../redis/shared-redis.js';
import { type Identity, refused } from '../caller.js';
import { providerUnavailable } from '../provider/bounded-fetch.js';
import { IdentityProvider } from '../provider/identity-provider.js';
import { ProviderKeys } from '../provider/provider-keys.js';
import type { ProviderRefusal } from '../provider/client-authentication.js';
import { type Claims, judge, requireIntrospected, requireSigned } from './claims.js';

/** True for a text that looks like a signed JWT: three parts, the first a JSON object with `alg`. */
export function looksLikeJwt(token: string): boolean {
  if (token.split('.').length !== 3) return false;
  try {
    return typeof decodeProtectedHeader(token).alg === 'string';
  } catch {
    return false;
  }
}

/**
 * Verifies access tokens of the identity provider: signed JWTs with its keys and without a call per token, opaque and
 * encrypted ones by introspection (RFC 7662). Identities, but never rejections, are shared through Redis while it is there.
 */
@Injectable()
export class ProviderTokens {
  private readonly keys = new ProviderKeys();

  constructor(
    private readonly settings: Settings,
    @Inject(NOW) private readonly now: Now,
    private readonly provider: IdentityProvider,
    private readonly redis: SharedRedis,
  ) {}

  /** Throws 401 / 105, 403 / 121, or 503 / 201 when the provider is not available or its response cannot be used. */
  async check(token: string): Promise<Identity> {
    if (!this.settings.oauthEnabled)
      throw refused('no identity provider is set up here; personal tokens begin with rl_');
    const { oauthUri, oauthAudiences, oauthRequiredScopes } = this.settings;
    // With the rules, as services with other rules may use the same store.
    const rules = JSON.stringify([oauthUri, oauthAudiences, oauthRequiredScopes]);
    const key = `reading-list:token:${hash('sha256', `${rules} ${token}`, 'base64url')}`;
    const shared = await this.findShared(key);
    if (shared) return shared;
    const metadata = await this.provider.discovered();
    const claims = looksLikeJwt(token) ? this.verifySigned(token, metadata) : this.introspect(token, metadata);
    const identity = judge(await claims, metadata.issuer, this.settings, this.now());
    const { keepMs } = identity;
    // `until` gives the result one lifetime in the caches of all instances. The request does not wait for it to be stored.
    const result = JSON.stringify({ identity, until: this.now() + keepMs });
    if (keepMs > 0) this.redis.client?.set(key, result, 'PX', Math.ceil(keepMs)).catch(() => undefined);
    return identity;
  }

  /** Judged by this instance's clock, as the writer's may differ, and kept no longer than the result of a check here. */
  private async findShared(key: string): Promise<Identity | undefined> {
    try {
      const found = await this.redis.client?.get(key);
      if (!found) return undefined;
      const { identity, until } = JSON.parse(found) as { identity: Identity; until: number };
      const keepMs = Math.min(until - this.now(), this.settings.oauthTokenCacheSeconds * 1000);
      return keepMs > 0 ? { ...identity, keepMs } : undefined;
    } catch {
      return undefined;
    }
  }

  private async verifySigned(token: string, { jwks_uri }: client.ServerMetadata): Promise<Claims> {
    if (jwks_uri === undefined) throw providerUnavailable('it publishes no keys');
    try {
      const { protectedHeader } = await this.keys.verify(token, jwks_uri);
      const claims: Claims = decodeJwt(token);
      requireSigned(protectedHeader.typ, claims);
      return claims;
    } catch (error) {
      throw toApiError(error, token);
    }
  }

  private async introspect(token: string, { introspection_endpoint }: client.ServerMetadata): Promise<Claims> {
    if (introspection_endpoint === undefined) {
      const kind = token.split('.').length === 5 ? 'encrypted' : 'opaque, not a signed token';
      throw refused(`it is ${kind}, and the identity provider has no introspection endpoint to check it with`);
    }
    const introspect = (configuration: client.Configuration) =>
      client.tokenIntrospection(configuration, token, { token_type_hint: 'access_token' });
    // Some providers respond like this to a token that does not look like one of theirs.
    const errorOf = ({ status, error }: ProviderRefusal) =>
      status === 400 && error === 'unsupported_token_type' ? refused('the provider does not know it') : undefined;
    const claims = await this.provider.call('introspection', introspect, [token], errorOf);
    if (claims.active !== true) throw refused('it is not active');
    requireIntrospected(claims);
    return claims;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  [errors.JWKSNoMatchingKey.code]: 'its key is unknown',
  [errors.JWTInvalid.code]: 'its content is not a JSON object',
  [errors.JWSSignatureVerificationFailed.code]: 'its signature is wrong',
};

/** Any error of jose means a bad token, except for a provider's key that is unusable. */
function toApiError(error: unknown, token: string): ApiError {
  if (error instanceof ApiError) return error;
  if (!(error instanceof errors.JOSEError) || error instanceof errors.JWKInvalid)
    return providerUnavailable('its key cannot be used', error);
  if (!(error instanceof errors.JOSEAlgNotAllowed)) return refused(REASONS[error.code] ?? 'it is malformed');
  const { alg } = decodeProtectedHeader(token);
  return refused(`its algorithm ${/^[A-Z]{2}\d{3}$/.test(alg!) ? `${alg} ` : ''}is not a public-key algorithm`);
}
