import { Injectable } from '@nestjs/common';
import { before } from '../../database/before.js';
import { ApiError } from '../../protocol/api-error.js';
import { PROVIDER_LIMIT_MS, withinLimit } from '../provider/bounded-fetch.js';
import { type Identity, refused } from './identity.js';
import { hasPersonalPrefix } from './personal-token.js';
import { lookupTimedOut, PersonalTokens } from './personal-tokens.js';
import { ProviderTokens } from './provider-tokens.js';
import { type Entry, TokenCache, tokenKey } from './token-cache.js';

const MAX_TOKEN_LENGTH = 8192;

/**
 * Bounds the requests that pile up behind a hung provider or database, and the calls that a flood of tokens causes: for
 * each of them separately, so that one that hangs does not refuse the tokens of the other.
 */
const MAX_CHECKS = 1_000;

/** The form of a bearer token in a header (RFC 6750, 2.1). */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Verifies bearer tokens, and caches identities for as long as the settings and the token allow. */
@Injectable()
export class TokenVerifier {
  /** How many tokens were found in the cache, and how many had to be checked. */
  readonly cacheCounts = { hits: 0, misses: 0 };

  private readonly personalChecks = new Map<string, Promise<Identity>>();
  private readonly providedChecks = new Map<string, Promise<Identity>>();

  /**
   * The last valid token of each open connection with its identity: usually the next one is the same, and hashing is
   * expensive. Invalid tokens, which strangers may send in any size and number, are not kept.
   */
  private readonly latest = new WeakMap<object, { token: string; known: Entry<Identity> }>();

  constructor(
    private readonly cache: TokenCache,
    private readonly personal: PersonalTokens,
    private readonly provided: ProviderTokens,
  ) {}

  /** The cached identity of a token, if any; synchronous. */
  cached(token: string, connection: object): Identity | undefined {
    const latest = this.latest.get(connection);
    if (latest?.token === token && this.cache.isFresh(latest.known)) return this.hit(latest.known);
    const known = this.cache.identity(tokenKey(token));
    if (!known) return undefined;
    this.latest.set(connection, { token, known });
    return this.hit(known);
  }

  /**
   * The identity of a token, after at most five seconds. Concurrent checks of the same token are shared. Throws 401 /
   * 105 for a rejected token, 403 / 121 for one without the scope, 503 / 201 when it cannot be verified.
   */
  async verify(token: string): Promise<Identity> {
    if (!isBearerToken(token)) throw refused('it is malformed');
    const key = tokenKey(token);
    const known = this.cache.identity(key);
    if (known) return this.hit(known);
    const refusal = this.cache.refusal(key);
    if (refusal) throw refusal;
    const isPersonal = hasPersonalPrefix(token);
    const checks = isPersonal ? this.personalChecks : this.providedChecks;
    const check = checks.get(key) ?? this.begin(token, key, checks);
    return isPersonal ? before(PROVIDER_LIMIT_MS, check, lookupTimedOut()) : withinLimit(check);
  }

  private hit({ value }: Entry<Identity>): Identity {
    this.cacheCounts.hits++;
    return value;
  }

  private begin(token: string, key: string, checks: Map<string, Promise<Identity>>): Promise<Identity> {
    // A personal token that was valid a moment ago is not an attacker's.
    const isKnown = checks === this.personalChecks && this.personal.isKnown(key);
    if (checks.size >= MAX_CHECKS && !isKnown)
      throw new ApiError('unavailable', 'Too many tokens are being checked, try again later');
    this.cacheCounts.misses++;
    const check = this.check(token, key).finally(() => checks.delete(key));
    checks.set(key, check);
    return check;
  }

  private async check(token: string, key: string): Promise<Identity> {
    try {
      const checked = await (hasPersonalPrefix(token) ? this.personal : this.provided).check(token);
      this.cache.accept(key, checked);
      return checked.identity;
    } catch (error) {
      if (error instanceof ApiError && error.kind !== 'unavailable') this.cache.refuse(key, error);
      throw error;
    }
  }
}

/** True for a text that can be sent as a bearer token. */
export const isBearerToken = (token: string): boolean => token.length <= MAX_TOKEN_LENGTH && BEARER_TOKEN.test(token);
