import { Inject, Injectable, Optional } from '@nestjs/common';
import { type Clock, CLOCK, SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { providerUnavailable, withinLimit } from './bounded-fetch.js';
import { type Identity, refused } from './identity.js';
import { IdentityProvider } from './identity-provider.js';
import { Introspection } from './introspection.js';
import { JwtAccessTokens, looksLikeJwt } from './jwt-access-tokens.js';
import { ProviderKeys } from './provider-keys.js';
import { SharedResults, TOKEN_STORE, type TokenStore } from './shared-results.js';
import { type Entry, TokenCache, tokenKey } from './token-cache.js';

export type { Identity };

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

  private readonly cache: TokenCache;
  private readonly jwts: JwtAccessTokens;
  private readonly introspection: Introspection;
  private readonly shared: SharedResults;

  constructor(
    @Inject(IdentityProvider) provider: IdentityProvider,
    @Inject(SETTINGS) { oauth }: Settings,
    @Inject(CLOCK) clock: Clock,
    @Optional() @Inject(TOKEN_STORE) store?: TokenStore,
  ) {
    this.cache = new TokenCache(oauth, clock);
    this.jwts = new JwtAccessTokens(provider, new ProviderKeys(provider, clock), oauth, clock);
    this.introspection = new Introspection(provider, oauth, clock);
    this.shared = new SharedResults(oauth, store);
  }

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
   * a refused token, 403 / 121 for one without the scope, 503 / 201 when the provider can not be asked.
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
    if (this.checks.size >= MAX_CHECKS) throw providerUnavailable('too many tokens are being checked');
    this.cacheCounts.misses++;
    const check = this.check(token, key).finally(() => this.checks.delete(key));
    this.checks.set(key, check);
    return check;
  }

  private async check(token: string, key: string): Promise<Identity> {
    const shared = await this.shared.find(token);
    if (shared && this.cache.accept(key, shared.identity, shared.until) > 0) return shared.identity;
    const identity = await this.identify(token, key);
    const until = this.cache.keepUntil(identity);
    const ttlMs = this.cache.accept(key, identity, until);
    if (ttlMs > 0) await this.shared.share(token, { identity, until }, ttlMs);
    return identity;
  }

  private async identify(token: string, key: string): Promise<Identity> {
    try {
      return await (looksLikeJwt(token) ? this.jwts : this.introspection).identify(token);
    } catch (error) {
      if (error instanceof ApiError && error.kind !== 'unavailable') this.cache.refuse(key, error);
      throw error;
    }
  }
}

/** True for a text that can be sent as a bearer token; no other can be a good one. */
export const isBearerToken = (token: string): boolean => token.length <= MAX_TOKEN_LENGTH && BEARER_TOKEN.test(token);
