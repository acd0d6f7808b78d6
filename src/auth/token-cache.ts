import { hash } from 'node:crypto';
import type { Clock } from '../config/config.module.js';
import type { OAuthSettings } from '../config/settings.js';
import type { ApiError } from '../protocol/api-error.js';
import type { Identity } from './identity.js';

const MAX_IDENTITIES = 10_000;
const MAX_REFUSALS = 1_000;
const REFUSAL_MS = 3000;

/** Under which an identity is kept: the SHA-256 of its token, so that no cache holds a token. */
export const tokenKey = (token: string): string => hash('sha256', token, 'base64url');

export interface Entry<T> {
  value: T;
  until: number;
}

/** The results of recent checks in memory, identities and refusals apart, each bounded, the longest unused going first. */
export class TokenCache {
  private readonly identities = new Map<string, Entry<Identity>>();
  private readonly refusals = new Map<string, Entry<ApiError>>();

  constructor(
    private readonly oauth: OAuthSettings,
    private readonly clock: Clock,
  ) {}

  identity(key: string): Entry<Identity> | undefined {
    return this.find(this.identities, key);
  }

  refusal(key: string): ApiError | undefined {
    return this.find(this.refusals, key)?.value;
  }

  /** Until when an identity that was checked now may be kept: the configured lifetime, not beyond its expiry. */
  keepUntil({ expiresAt = Infinity }: Identity): number {
    return Math.min(this.clock() + this.oauth.tokenCacheSeconds * 1000, expiresAt);
  }

  /** Keeps an identity and returns for how long, in milliseconds; 0 or less: not at all. */
  accept(key: string, identity: Identity, until: number): number {
    const ttlMs = until - this.clock();
    if (ttlMs > 0) keep(this.identities, MAX_IDENTITIES, key, { value: identity, until });
    return ttlMs;
  }

  refuse(key: string, error: ApiError): void {
    keep(this.refusals, MAX_REFUSALS, key, { value: error, until: this.clock() + REFUSAL_MS });
  }

  isFresh({ until }: Entry<unknown>): boolean {
    return until > this.clock();
  }

  private find<T>(entries: Map<string, Entry<T>>, key: string): Entry<T> | undefined {
    const entry = entries.get(key);
    if (!entry) return undefined;
    entries.delete(key);
    if (!this.isFresh(entry)) return undefined;
    entries.set(key, entry);
    return entry;
  }
}

function keep<T>(entries: Map<string, Entry<T>>, max: number, key: string, entry: Entry<T>): void {
  entries.delete(key);
  entries.set(key, entry);
  if (entries.size > max) entries.delete(entries.keys().next().value!);
}
