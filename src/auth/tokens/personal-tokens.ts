import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { NOW, type Now } from '../../config/now.js';
import { Settings } from '../../config/settings.js';
import { before } from '../../time-limit.js';
import { Database } from '../../database/database.js';
import type { Token } from '../../database/entities/token.entity.js';
import { committed, unavailable } from '../../database/session.js';
import { ApiError } from '../../protocol/api-error.js';
import { type Identity, refused } from '../caller.js';
import { findToken, noteUse } from './personal-tokens.store.js';

const PREFIX = 'rl_';
const FORM = /^rl_[A-Za-z0-9_-]{43}$/;

/** The issuer of users with personal tokens; no provider's URL looks like this. */
export const LOCAL_ISSUER = 'local';
/** How long a token may keep working after it was revoked. */
export const REVOCATION_MS = 3_000;
const HOUR_MS = 3_600_000;
const MAX_RECORDING = 4;
/** How long a known token waits for a database that does not respond. */
const PATIENCE_MS = 1_000;
/** 503 / 201: the database does not respond; no identity provider is involved. */
export const lookupTimedOut = (): ApiError => unavailable(new Error('timed out'));

/** Verifies personal tokens by a lookup every few seconds. While the database is down, those that were valid keep working. */
@Injectable()
export class PersonalTokens {
  private recording = 0;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    @Inject(NOW) private readonly now: Now,
  ) {}

  /** Throws 401 / 105 for a bad token, 503 / 201 if that cannot be determined. `known`: what its last lookup found. */
  async check(token: string, known?: Identity): Promise<Identity> {
    if (!this.settings.tokensEnabled) throw refused('personal tokens are switched off');
    if (!FORM.test(token)) throw refused('it is unknown');
    const hash = personalTokenHash(token);
    // Lookups of unknown tokens may use as many sessions as one user may: anybody can send tokens.
    if (!known) return this.identify(hash, 'personal tokens');
    return before(PATIENCE_MS, this.identify(hash), lookupTimedOut).catch((error: unknown) => {
      const isAway = error instanceof ApiError && error.kind === 'unavailable';
      const keepMs = this.keepMs(known.expiresAt);
      if (!isAway || keepMs === undefined) throw error;
      return { ...known, keepMs };
    });
  }

  private async identify(hash: Buffer, key?: string): Promise<Identity> {
    const token = await this.database.onSession((session) => findToken(session, hash), { key, statements: 0 });
    if (!token) throw refused('it is unknown');
    const { subject, read_only } = token;
    const expiresAt = token.expires_on ?? undefined;
    const keepMs = this.keepMs(expiresAt);
    if (keepMs === undefined) throw refused('it has expired');
    this.noteUse(token);
    return { issuer: LOCAL_ISSUER, subject, expiresAt, name: subject, isReadOnly: Boolean(read_only), keepMs };
  }

  /** Records the use, once an hour on all instances. Nothing waits for it; it is skipped while others are being recorded. */
  private noteUse({ token_hash, last_used_on }: Token): void {
    const now = this.now();
    if (Math.abs(now - (last_used_on ?? 0)) < HOUR_MS || this.recording >= MAX_RECORDING) return;
    this.recording++;
    this.database
      .inTransaction((transaction) => noteUse(transaction, token_hash, now, HOUR_MS).then(() => committed(undefined)))
      .catch(() => undefined)
      .finally(() => this.recording--);
  }

  /** For how long a token may be cached; undefined if it has expired. */
  private keepMs(expiresAt = Infinity): number | undefined {
    const leftMs = expiresAt - this.now();
    return leftMs > 0 ? Math.min(leftMs, REVOCATION_MS, this.settings.oauthTokenCacheSeconds * 1000) : undefined;
  }
}

/** A new token with 256 random bits: it cannot be guessed, so storing a plain hash is enough. */
export const newPersonalToken = (): string => PREFIX + randomBytes(32).toString('base64url');

/** True for tokens that are verified here and never sent to the identity provider. */
export const hasPersonalPrefix = (token: string): boolean => token.startsWith(PREFIX);

/** The hash under which a token is stored. */
export const personalTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();
