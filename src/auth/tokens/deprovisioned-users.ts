import { Inject, Injectable } from '@nestjs/common';
import { keyOf } from '../../accounts/account.row.js';
import { deprovisionedAccounts } from '../../accounts/deprovisioned.store.js';
import { MONOTONIC_CLOCK, type MonotonicClock } from '../../config/settings.module.js';
import { before } from '../../time-limit.js';
import { Database } from '../../database/database.js';
import { refused } from './identity.js';
import { lookupTimedOut } from './personal-tokens.js';

/** How long a user may go on after being deprovisioned. */
const KEPT_MS = 4_000;
/** How long a request waits for a database that does not respond; then the users last read are refused. */
const PATIENCE_MS = 1_000;
/** After an attempt in vain. */
const RETRY_MS = 500;

/**
 * The users whose tokens are refused although they are valid. All are read again when a request comes and the last time is
 * some seconds ago, so that a request costs no statement of its own.
 */
@Injectable()
export class DeprovisionedUsers {
  private keys = new Set<string>();
  private readAt = -Infinity;
  private reading?: Promise<void>;

  constructor(
    private readonly database: Database,
    @Inject(MONOTONIC_CLOCK) private readonly clock: MonotonicClock,
  ) {}

  /** Throws 401 / 105 for the account of a deprovisioned user. */
  async refuse(account: Buffer): Promise<void> {
    if (this.clock() - this.readAt > KEPT_MS) await (this.reading ??= this.read());
    if (this.keys.has(keyOf(account))) throw refused('its user is deprovisioned');
  }

  private async read(): Promise<void> {
    const found = this.database.onSession(deprovisionedAccounts).then((accounts) => {
      this.keys = new Set(accounts.map(keyOf));
      this.readAt = this.clock();
    });
    try {
      await before(PATIENCE_MS, found, lookupTimedOut());
    } catch {
      // What the request itself needs from the database decides.
      this.readAt = this.clock() - KEPT_MS + RETRY_MS;
    } finally {
      this.reading = undefined;
    }
  }
}
