import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { keyOf } from '../../accounts/account.row.js';
import { deprovisionedAccounts } from '../../accounts/deprovisioned.store.js';
import { MONOTONIC_CLOCK, type MonotonicClock } from '../../config/settings.module.js';
import { Database } from '../../database/database.js';
import { before } from '../../time-limit.js';
import { refused } from './identity.js';
import { lookupTimedOut } from './personal-tokens.js';

/** How long a user may go on after being deprovisioned. */
const KEPT_MS = 4_000;
/** How long a request waits for a database that does not respond; then the users last read are refused. */
const PATIENCE_MS = 1_000;
/** After an attempt in vain. */
const RETRY_MS = 500;

type Keys = ReadonlySet<string>;

/**
 * The users whose tokens are refused although they are valid. All are read again when a request comes and the last time is
 * some seconds ago, so that a request costs no statement of its own.
 */
@Injectable()
export class DeprovisionedUsers {
  private readonly users: LRUCache<'all', Keys>;

  constructor(
    private readonly database: Database,
    @Inject(MONOTONIC_CLOCK) clock: MonotonicClock,
  ) {
    this.users = new LRUCache<'all', Keys>({
      max: 1,
      ttl: KEPT_MS,
      ttlResolution: 0,
      noDeleteOnStaleGet: true,
      perf: { now: clock },
      fetchMethod: (_, last, { options }) => this.read(last, options),
    });
  }

  /** True for the account of a user who is not deprovisioned, if that needs no look at the database. */
  mayGoOn(account: Buffer): boolean {
    const users = this.users.get('all');
    return users !== undefined && !users.has(keyOf(account));
  }

  /** Throws 401 / 105 for the account of a deprovisioned user. */
  async refuse(account: Buffer): Promise<void> {
    const users = this.users.get('all') ?? (await this.users.fetch('all'))!;
    if (users.has(keyOf(account))) throw refused('its user is deprovisioned');
  }

  /** @param kept for how long the result counts */
  private async read(last: Keys = new Set(), kept: { ttl?: number }): Promise<Keys> {
    try {
      const accounts = await before(PATIENCE_MS, this.database.onSession(deprovisionedAccounts), lookupTimedOut);
      return new Set(accounts.map(keyOf));
    } catch {
      // What the request itself needs from the database decides.
      kept.ttl = RETRY_MS;
      return last;
    }
  }
}
