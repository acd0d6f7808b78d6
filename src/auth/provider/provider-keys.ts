import { Inject, Injectable } from '@nestjs/common';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { MONOTONIC_CLOCK, type MonotonicClock } from '../../config/settings.module.js';
import { fetchJsonObject, providerUnavailable } from './bounded-fetch.js';
import { IdentityProvider, PROVIDER_LIFETIMES } from './identity-provider.js';
import { Remembered } from '../tokens/remembered.js';

const SEARCHES = { count: 2, perMs: 10_000 };

/**
 * The provider's signing keys (JSON Web Key Set), reread after ten minutes and when a token names an unknown key:
 * immediately, but at most twice in ten seconds.
 */
@Injectable()
export class ProviderKeys {
  private readonly remembered: Remembered<JWTVerifyGetKey>;
  private searches: number[] = [];

  constructor(
    private readonly provider: IdentityProvider,
    @Inject(MONOTONIC_CLOCK) private readonly clock: MonotonicClock,
  ) {
    this.remembered = new Remembered(() => this.load(), PROVIDER_LIFETIMES, clock);
  }

  /** Finds the key of a signed token. Throws jose's `JWKSNoMatchingKey`, or 503 / 201 when the keys cannot be read. */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const keys = await this.remembered.get();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !this.maySearch()) throw error;
      return (await this.remembered.refresh())(header, token);
    }
  };

  /**
   * While reading fails, `PROVIDER_LIFETIMES` already limits the calls, and the token must not be rejected because its
   * validity is unknown.
   */
  private maySearch(): boolean {
    if (this.remembered.isFailing()) return true;
    const now = this.clock();
    this.searches = this.searches.filter((time) => now - time < SEARCHES.perMs);
    if (this.searches.length >= SEARCHES.count) return false;
    this.searches.push(now);
    return true;
  }

  private async load(): Promise<JWTVerifyGetKey> {
    const { metadata } = await this.provider.discovered();
    if (!metadata.jwks_uri) throw providerUnavailable('it publishes no keys');
    try {
      const keys: unknown = await fetchJsonObject(metadata.jwks_uri);
      return createLocalJWKSet(keys as JSONWebKeySet);
    } catch (error) {
      this.provider.distrust();
      throw error instanceof errors.JOSEError ? providerUnavailable('its key set makes no sense', error) : error;
    }
  }
}
