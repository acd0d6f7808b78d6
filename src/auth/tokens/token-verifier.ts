import { Injectable } from '@nestjs/common';
import { ApiError } from '../../protocol/api-error.js';
import { withinLimit } from '../provider/bounded-fetch.js';
import { type Identity, refused } from './identity.js';
import { claimsToBePersonal } from './personal-token.js';
import { PersonalTokens } from './personal-tokens.js';
import { ProviderTokens } from './provider-tokens.js';
import { type Entry, TokenCache, tokenKey } from './token-cache.js';

const MAX_TOKEN_LENGTH = 8192;

/** A provider that hangs must not make the service collect requests, nor a flood of tokens one of calls. */
const MAX_CHECKS = 1_000;

/** The form of a bearer token in a header (RFC 6750, 2.1). */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/** Tells whom a bearer token stands for, and remembers it for as long as the settings and the token allow. */
@Injectable()
export class TokenVerifier {
  /** How many tokens were known from memory, and how many had to be checked. */
  readonly cacheCounts = { hits: 0, misses: 0 };

  private readonly checks = new Map<string, Promise<Identity>>();

  /**
   * The last good token of each open connection, with whom it stands for: mostly the next one is the same, and the hash costs
   * much. Others, which strangers may send in any length and number, are not kept.
   */
  private readonly latest = new WeakMap<object, { token: string; known: Entry<Identity> }>();

  constructor(
    private readonly cache: TokenCache,
    private readonly personal: PersonalTokens,
    private readonly provided: ProviderTokens,
  ) {}

  /** The identity when this instance remembers it: no call, no promise. */
  cached(token: string, connection: object): Identity | undefined {
    const latest = this.latest.get(connection);
    if (latest?.token === token && this.cache.isFresh(latest.known)) return this.hit(latest.known);
    const known = this.cache.identity(tokenKey(token));
    if (!known) return undefined;
    this.latest.set(connection, { token, known });
    return this.hit(known);
  }

  /**
   * The identity of a token, after at most five seconds. Simultaneous checks of one token are one. Throws 401 / 105 for
   * a refused token, 403 / 121 for one without the scope, 503 / 201 when nobody can judge it.
   */
  async verify(token: string): Promise<Identity> {
    if (!isBearerToken(token)) throw refused('it has not the form of one');
    const key = tokenKey(token);
    const known = this.cache.identity(key);
    if (known) return this.hit(known);
    const refusal = this.cache.refusal(key);
    if (refusal) throw refusal;
    return withinLimit(this.checks.get(key) ?? this.begin(token, key));
  }

  private hit({ value }: Entry<Identity>): Identity {
    this.cacheCounts.hits++;
    return value;
  }

  private begin(token: string, key: string): Promise<Identity> {
    if (this.checks.size >= MAX_CHECKS)
      throw new ApiError('unavailable', 'Too many tokens are being checked, try again later');
    this.cacheCounts.misses++;
    const check = this.check(token, key).finally(() => this.checks.delete(key));
    this.checks.set(key, check);
    return check;
  }

  private async check(token: string, key: string): Promise<Identity> {
    try {
      const checked = await (claimsToBePersonal(token) ? this.personal : this.provided).check(token);
      this.cache.accept(key, checked);
      return checked.identity;
    } catch (error) {
      if (error instanceof ApiError && error.kind !== 'unavailable') this.cache.refuse(key, error);
      throw error;
    }
  }
}

/** True for a text that can be sent as a bearer token; no other can be a good one. */
export const isBearerToken = (token: string): boolean => token.length <= MAX_TOKEN_LENGTH && BEARER_TOKEN.test(token);
