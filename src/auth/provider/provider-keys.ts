import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { LRUCache } from 'lru-cache';
import { boundedFetch, providerUnavailable, readNowAndThen } from './bounded-fetch.js';

const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ');

/** Why keys may have to be read again, and how often at most: anybody can send tokens with unknown keys. */
const READ_AGAIN_MS: Readonly<Record<string, number>> = {
  [errors.JWKSNoMatchingKey.code]: 5_000,
  [errors.JWSSignatureVerificationFailed.code]: 30_000,
};

/**
 * The provider's signing keys (JSON Web Key Set). Unlike with jose's `createRemoteJWKSet`, known keys serve while the
 * provider hangs, a replaced key may have the name of the old one, and ages do not depend on the wall clock.
 */
export class ProviderKeys {
  private readonly keys = readNowAndThen(600_000, readKeys);
  /** By the reason. While reading fails, nobody's token is refused. */
  private readonly readAgain = new LRUCache<string, JWTVerifyGetKey, string>({
    max: 2,
    ttlResolution: 0,
    fetchMethod: async (reason, _, { context: uri, options }) => {
      const keys = await readKeys(uri);
      this.keys.set(uri, keys);
      options.ttl = READ_AGAIN_MS[reason];
      return keys;
    },
  });

  /** Verifies with the keys at `uri`, read again if that fails. Throws jose's error for a bad token, 503 / 201 without keys. */
  async verify(token: string, uri: string) {
    try {
      return await verifyWith((await this.keys.fetch(uri))!, token);
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (!(code in READ_AGAIN_MS) || this.readAgain.has(code)) throw error;
      return verifyWith((await this.readAgain.fetch(code, { context: uri }))!, token);
    }
  }
}

async function readKeys(uri: string): Promise<JWTVerifyGetKey> {
  try {
    const response = await boundedFetch(uri, { headers: { accept: 'application/json' } });
    if (response.status !== 200) throw new Error(`status ${response.status}`);
    return createLocalJWKSet((await response.json()) as JSONWebKeySet);
  } catch (error) {
    throw providerUnavailable('its keys cannot be read', error);
  }
}

/** A token need not name its key, so all that match are tried. */
async function verifyWith(keys: JWTVerifyGetKey, token: string) {
  const options = { algorithms: ALGORITHMS };
  try {
    return await compactVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      const verified = await compactVerify(token, key, options).catch(() => undefined);
      if (verified) return verified;
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}
