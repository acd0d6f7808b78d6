import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { MONOTONIC_CLOCK, type MonotonicClock } from '../../config/settings.module.js';
import type { ApiError } from '../../protocol/api-error.js';
import type { CheckedToken, Identity } from './identity.js';

const MAX_IDENTITIES = 10_000;
const MAX_REFUSALS = 1_000;
const REFUSAL_MS = 3000;

/** The cache key of a token: its SHA-256, so that no cache holds a token. */
export const tokenKey = (token: string): string => hash('sha256', token, 'base64url');

/** `until` is a time of the monotonic clock: adjusting the wall clock does not change ages. */
export interface Entry<T> {
  value: T;
  until: number;
}

/**
 * Caches the results of recent checks in memory: identities and rejections separately, each bounded, least recently
 * used evicted first.
 */
@Injectable()
export class TokenCache {
  private readonly identities = new LRUCache<string, Entry<Identity>>({ max: MAX_IDENTITIES });
  private readonly refusals = new LRUCache<string, Entry<ApiError>>({ max: MAX_REFUSALS });

  constructor(@Inject(MONOTONIC_CLOCK) private readonly clock: MonotonicClock) {}

  identity(key: string): Entry<Identity> | undefined {
    return this.fresh(this.identities, key);
  }

  refusal(key: string): ApiError | undefined {
    return this.fresh(this.refusals, key)?.value;
  }

  accept(key: string, { identity, keepMs }: CheckedToken): void {
    if (keepMs > 0) this.identities.set(key, { value: identity, until: this.clock() + keepMs });
  }

  refuse(key: string, error: ApiError): void {
    this.refusals.set(key, { value: error, until: this.clock() + REFUSAL_MS });
  }

  isFresh({ until }: Entry<unknown>): boolean {
    return until > this.clock();
  }

  private fresh<T>(entries: LRUCache<string, Entry<T>>, key: string): Entry<T> | undefined {
    const entry = entries.get(key);
    if (!entry || this.isFresh(entry)) return entry;
    entries.delete(key);
    return undefined;
  }
}
