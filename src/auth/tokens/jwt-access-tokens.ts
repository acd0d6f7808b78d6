import { Inject, Injectable } from '@nestjs/common';
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from 'jose';
import { CLOCK, type Clock, SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { providerUnavailable } from '../provider/bounded-fetch.js';
import { type Identity, judgeClaims, LEEWAY_SECONDS, refused } from './identity.js';
import { IdentityProvider } from '../provider/identity-provider.js';
import { ProviderKeys } from '../provider/provider-keys.js';

const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** True for a text that looks like a signed JWT: three parts, the first a JSON object with `alg`. */
export function looksLikeJwt(token: string): boolean {
  if (token.split('.').length !== 3) return false;
  try {
    return typeof decodeProtectedHeader(token).alg === 'string';
  } catch {
    return false;
  }
}

/** Verifies access tokens that are signed JWTs (RFC 9068) with the provider's keys, without a call per token. */
@Injectable()
export class JwtAccessTokens {
  constructor(
    private readonly provider: IdentityProvider,
    private readonly keys: ProviderKeys,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The identity of a token. The type `at+jwt` is required of every provider: nothing else distinguishes an access
   * token from an ID token for the same client. Throws 401 / 105, 403 / 121, or 503 / 201 when the keys are not
   * available.
   */
  async identify(token: string): Promise<Identity> {
    const { metadata } = await this.provider.discovered();
    const { uri, audiences, scope } = this.settings.oauth;
    const now = this.clock();
    const payload = await this.verify(token, {
      typ: 'at+jwt',
      algorithms: ALGORITHMS,
      issuer: metadata.issuer,
      audience: audiences,
      requiredClaims: ['exp', 'sub'],
      clockTolerance: LEEWAY_SECONDS,
      currentDate: new Date(now),
    });
    return { issuer: uri, ...judgeClaims(payload, { issuer: metadata.issuer, audiences, scope, now }) };
  }

  private async verify(token: string, options: JWTVerifyOptions): Promise<JWTPayload> {
    try {
      return (await jwtVerify(token, this.keys.find, options)).payload;
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return verifyWithAny(error, token, options);
      throw toApiError(error);
    }
  }
}

/** A token need not name its key, so try all that match. */
async function verifyWithAny(
  keys: errors.JWKSMultipleMatchingKeys,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw toApiError(error);
    }
  }
  throw refused('its signature is wrong');
}

/** Any error of jose means a bad token, except for a provider's key that is unusable. */
function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const isOfToken = error instanceof errors.JOSEError && !(error instanceof errors.JWKInvalid);
  return isOfToken ? refused(reasonOf(error)) : providerUnavailable('its key cannot be used', error);
}

function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'it has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `its ${error.claim} is not acceptable`;
  if (error instanceof errors.JWKSNoMatchingKey) return 'its key is unknown';
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature is wrong';
  return 'it is not acceptable';
}
