import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CLOCK, type Clock, SETTINGS } from '../../config/settings.module.js';
import type { Settings } from '../../config/settings.js';
import { before } from '../provider/bounded-fetch.js';
import { Database } from '../../database/database.js';
import type { Token } from '../../database/entities/token.entity.js';
import { unavailable } from '../../database/session.js';
import { ApiError } from '../../protocol/api-error.js';
import { cacheableMs, type CheckedToken, type Identity, refused } from './identity.js';
import { LastUse } from './last-use.js';
import { hasPersonalForm, LOCAL_ISSUER, personalTokenHash } from './personal-token.js';
import { findToken } from './personal-tokens.store.js';

/** How long a token may keep working after it was revoked. */
export const REVOCATION_MS = 3_000;
/** How long a known token waits for a database that does not respond. */
const PATIENCE_MS = 1_000;
/** 503 / 201: the database does not respond; no identity provider is involved. */
export const lookupTimedOut = (): ApiError => unavailable(new Error('timed out'));

/** Lookups of unknown tokens may use as many sessions as one user may: anybody can send tokens. */
const LOOKUPS = 'personal tokens';

/**
 * Verifies personal tokens, which the operator creates and the database stores. Each is looked up every few seconds;
 * while the database is unavailable, those that were valid at the last lookup keep working.
 */
@Injectable()
export class PersonalTokens {
  /** The identities found at the last lookup, as a fallback. */
  private readonly good = new LRUCache<string, Identity>({ max: 10_000 });

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly lastUse: LastUse,
  ) {}

  /** Throws 401 / 105 if it is unknown, expired or revoked, 503 / 201 if that cannot be determined. */
  async check(token: string): Promise<CheckedToken> {
    if (!this.settings.tokensEnabled) throw refused('personal tokens are switched off');
    if (!hasPersonalForm(token)) throw refused('it is not known');
    const hash = personalTokenHash(token);
    const identity = await this.identify(hash);
    const limitMs = Math.min(REVOCATION_MS, this.settings.oauthTokenCacheSeconds * 1000);
    return { identity, keepMs: cacheableMs(identity, limitMs, this.clock()) };
  }

  /** True for a token that was valid at its last lookup. @param key the SHA-256 of the token in base64url */
  isKnown(key: string): boolean {
    return this.good.has(key);
  }

  private async identify(hash: Buffer): Promise<Identity> {
    const key = hash.toString('base64url');
    const known = this.good.get(key);
    try {
      const identity = this.judge(await this.find(hash, known !== undefined));
      this.good.set(key, identity);
      return identity;
    } catch (error) {
      const isAway = error instanceof ApiError && error.kind === 'unavailable';
      if (isAway && known && !this.hasExpired(known)) return known;
      if (!isAway) this.good.delete(key);
      throw error;
    }
  }

  private find(hash: Buffer, isKnown: boolean): Promise<Token | undefined> {
    const tally = isKnown ? undefined : { key: LOOKUPS, statements: 0 };
    const found = this.database.onSession((session) => findToken(session, hash), tally);
    return isKnown ? before(PATIENCE_MS, found, lookupTimedOut()) : found;
  }

  private judge(token: Token | undefined): Identity {
    if (!token) throw refused('it is not known');
    const { subject, expires_on, read_only } = token;
    const identity: Identity = {
      issuer: LOCAL_ISSUER,
      subject,
      expiresAt: expires_on ?? undefined,
      name: subject,
      isReadOnly: Boolean(read_only),
    };
    if (this.hasExpired(identity)) throw refused('it has expired');
    this.lastUse.note(token);
    return identity;
  }

  private hasExpired({ expiresAt = Infinity }: Identity): boolean {
    return expiresAt <= this.clock();
  }
}
