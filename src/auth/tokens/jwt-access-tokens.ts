import { Inject, Injectable } from '@nestjs/common';
import { decodeProtectedHeader, errors } from 'jose';
import { CLOCK, type Clock, SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { providerUnavailable } from '../provider/bounded-fetch.js';
import { ProviderKeys } from '../provider/provider-keys.js';
import type { ProviderMetadata } from '../provider/provider-metadata.js';
import { type Claims, judgeSigned } from './claims.js';
import { type Identity, refused } from './identity.js';

/** True for a text that looks like a signed JWT: three parts, the first a JSON object with `alg`. */
export function looksLikeJwt(token: string): boolean {
  if (token.split('.').length !== 3) return false;
  try {
    return typeof decodeProtectedHeader(token).alg === 'string';
  } catch {
    return false;
  }
}

/** Verifies access tokens that are signed JWTs with the provider's keys, without a call per token. */
@Injectable()
export class JwtAccessTokens {
  constructor(
    private readonly keys: ProviderKeys,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The identity of a token. Throws 401 / 105, 403 / 121, or 503 / 201 when the keys are not available. */
  async identify(token: string, { issuer, jwks_uri }: ProviderMetadata): Promise<Identity> {
    if (jwks_uri === undefined) throw providerUnavailable('it publishes no keys');
    try {
      const { payload, protectedHeader } = await this.keys.verify(token, jwks_uri);
      const { uri, audiences, requiredScopes } = this.settings.oauth;
      const rules = { issuer, audiences, requiredScopes, now: this.clock() };
      return { issuer: uri, ...judgeSigned(protectedHeader.typ, readClaims(payload), rules) };
    } catch (error) {
      throw toApiError(error, token);
    }
  }
}

function readClaims(payload: Uint8Array): Claims {
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    if (typeof claims === 'object' && claims !== null && !Array.isArray(claims)) return claims as Claims;
  } catch {
    // Signed, but not a JWT.
  }
  throw refused('its content is not a JSON object');
}

/** Any error of jose means a bad token, except for a provider's key that is unusable. */
function toApiError(error: unknown, token: string): ApiError {
  if (error instanceof ApiError) return error;
  const isOfToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKInvalid);
  return isOfToken ? refused(reasonOf(error, token)) : providerUnavailable('its key cannot be used', error);
}

function reasonOf(error: errors.JOSEError, token: string): string {
  if (error instanceof errors.JWKSNoMatchingKey) return 'its key is unknown';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is wrong';
  if (error instanceof errors.JOSEAlgNotAllowed) {
    const { alg } = decodeProtectedHeader(token);
    return `its algorithm ${/^[A-Z]{2}\d{3}$/.test(alg!) ? `${alg} ` : ''}is not one with a public key`;
  }
  return 'it is malformed';
}
