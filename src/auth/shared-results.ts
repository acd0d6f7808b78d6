import { hash } from 'node:crypto';
import type { OAuthSettings } from '../config/settings.js';
import type { Identity } from './identity.js';

/** Injection token of the `TokenStore`; without one, nothing is shared. */
export const TOKEN_STORE = Symbol('TokenStore');

/** A store that several instances share. It must answer soon; a failure of its counts as nothing found. */
export interface TokenStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string, ttlMs: number): Promise<void>;
}

/** `until` (milliseconds since the epoch) makes one lifetime of all the caches a result passes through. */
export interface SharedResult {
  identity: Identity;
  until: number;
}

/** What other instances found out about tokens. Only identities are shared, never refusals. */
export class SharedResults {
  private readonly rules: string;

  constructor(
    oauth: OAuthSettings,
    private readonly store?: TokenStore,
  ) {
    this.rules = JSON.stringify([oauth.uri, oauth.audiences, oauth.scope]);
  }

  async find(token: string): Promise<SharedResult | undefined> {
    try {
      const found = await this.store?.get(this.keyOf(token));
      return found === undefined ? undefined : (JSON.parse(found) as SharedResult);
    } catch {
      return undefined;
    }
  }

  async share(token: string, result: SharedResult, ttlMs: number): Promise<void> {
    await this.store?.set(this.keyOf(token), JSON.stringify(result), ttlMs).catch(() => undefined);
  }

  /** Services with other rules may use the same store: what one accepts, another may not. */
  private keyOf(token: string): string {
    return `token:${hash('sha256', `${this.rules} ${token}`, 'base64url')}`;
  }
}
