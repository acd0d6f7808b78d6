import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { keyOf } from '../../accounts/accounts.store.js';
import { Settings } from '../../config/settings.js';
import { ApiError, serviceUnavailable } from '../../protocol/api-error.js';
import { Semaphore } from '../../semaphore.js';
import { before } from '../../time-limit.js';
import { accountKey, type Identity, refused, type Sender } from '../caller.js';
import { PROVIDER_LIMIT_MS, withinLimit } from '../provider/bounded-fetch.js';
import { QuietLog } from '../quiet-log.js';
import { hasPersonalPrefix, lookupTimedOut, PersonalTokens } from './personal-tokens.js';
import { looksLikeJwt, ProviderTokens } from './provider-tokens.js';

type VerifiedToken = Identity & Sender;

const MAX_CACHED = 10_000;

/** Anybody can send tokens to check: those of one IP address share a few slots, and cost others nothing while checks are slow. */
const CHECKS = {
  slots: 400,
  slotsPerKey: 20,
  waitingPerKey: 1000,
  timeoutMs: PROVIDER_LIMIT_MS,
  refusal: 'Too many tokens are being checked; try again later',
};

/** Verifies bearer tokens, and caches the results by a hash of the token: no cache keeps a token itself. */
@Injectable()
export class TokenVerifier {
  readonly cacheCounts = { hits: 0, misses: 0 };
  private readonly log = new QuietLog('TokenVerifier');
  /** The latest of each connection, as long as that is open: to hash a token takes a thirtieth of the time of a poll. */
  private readonly latest = new WeakMap<object, { token: string; key: string }>();
  /** Those that were good when they were last checked; a personal token may outlive its time while the database is down. */
  private readonly known = new LRUCache<string, VerifiedToken>({
    max: MAX_CACHED,
    ttlResolution: 0,
    noDeleteOnStaleGet: true,
  });
  /** The checks in progress and, for seconds, the refusals with which they ended: strangers cannot displace what is known. */
  private readonly refusals = new LRUCache<string, ApiError, { token: string; address: string }>({
    max: MAX_CACHED,
    ttl: 3_000,
    ttlResolution: 0,
    fetchMethod: (key, _, { context }) => this.check(key, context.token, context.address),
  });
  /** One for each thing that a check may wait for, so that one that hangs does not hold up the others. */
  private readonly checks = {
    signed: new Semaphore(CHECKS),
    opaque: new Semaphore(CHECKS),
    personal: new Semaphore(CHECKS),
  };

  constructor(
    private readonly settings: Settings,
    private readonly personal: PersonalTokens,
    private readonly provided: ProviderTokens,
  ) {}

  /** @param connection that the token came on */
  cached(token: string, connection: object): VerifiedToken | undefined {
    const latest = this.latest.get(connection);
    const key = latest?.token === token ? latest.key : tokenKey(token);
    const known = this.known.get(key);
    if (known) this.cacheCounts.hits++;
    if (known && key !== latest?.key) this.latest.set(connection, { token, key });
    return known;
  }

  /**
   * Checks a token that is not cached, for an IP address or network, within five seconds; simultaneous checks of one token
   * are one. Throws 401 / 105 for a rejected token, 403 / 121 for one without the scope, 503 / 201 if it cannot be verified.
   */
  async verify(token: string, address: string): Promise<VerifiedToken> {
    if (!isBearerToken(token)) throw refused('it is malformed');
    const key = tokenKey(token);
    const checking = this.refusals.fetch(key, { context: { token, address } }).catch((cause: unknown) => {
      // The cache displaces the oldest check when there are more than it has room for.
      throw cause instanceof ApiError ? cause : serviceUnavailable(CHECKS.refusal, cause);
    });
    const isPersonal = hasPersonalPrefix(token);
    const refusal = await (isPersonal ? before(PROVIDER_LIMIT_MS, checking, lookupTimedOut) : withinLimit(checking));
    if (refusal) throw refusal;
    return this.known.get(key, { allowStale: true })!;
  }

  private check(key: string, token: string, address: string): Promise<ApiError | undefined> {
    if (!hasPersonalPrefix(token)) {
      const checks = looksLikeJwt(token) ? this.checks.signed : this.checks.opaque;
      return checks.run(address, {}, () => this.judge(key, this.provided.check(token)));
    }
    const known = this.known.get(key, { allowStale: true });
    const check = () => this.judge(key, this.personal.check(token, known));
    // A token that was good a moment ago is not an attacker's.
    return known ? check() : this.checks.personal.run(address, {}, check);
  }

  /** Makes a good token known, or returns the refusal. */
  private async judge(key: string, checking: Promise<Identity>): Promise<ApiError | undefined> {
    this.cacheCounts.misses++;
    try {
      const identity = await checking;
      const account = accountKey(this.settings.userIdSecret, 'bearer', [identity.issuer, identity.subject]);
      // A time to live of 0 would mean forever.
      const ttl = Math.max(identity.keepMs, Number.MIN_VALUE);
      this.known.set(key, { ...identity, account, key: keyOf(account) }, { ttl });
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind === 'unavailable') throw error;
      this.known.delete(key);
      this.log.warn(error.message);
      return error;
    }
  }
}

const tokenKey = (token: string): string => hash('sha256', token, 'base64url');

/** True for a text that can be sent as a bearer token (RFC 6750, 2.1). */
export const isBearerToken = (token: string): boolean => token.length <= 8192 && /^[A-Za-z0-9\-._~+/]+=*$/.test(token);
