import { Injectable } from '@nestjs/common';
import { deprovisionedAccounts, keyOf } from '../../accounts/accounts.store.js';
import { Database } from '../../database/database.js';
import { before } from '../../time-limit.js';
import { refused } from '../caller.js';

/** How long a user may go on after being deprovisioned. */
const KEPT_MS = 4_000;
/** How long a request waits for a database that does not respond; then the users last read are refused. */
const PATIENCE_MS = 1_000;

/** The users whose valid tokens are refused, read every few seconds so that a request costs no statement of its own. */
@Injectable()
export class DeprovisionedUsers {
  private keys: ReadonlySet<string> = new Set();
  private freshUntil = -Infinity;
  private reading?: Promise<void>;

  constructor(private readonly database: Database) {}

  /** Throws 401 / 105 for the key of a deprovisioned user. */
  async refuse(key: string): Promise<void> {
    if (performance.now() >= this.freshUntil) {
      this.reading ??= this.read().finally(() => (this.reading = undefined));
      await before(PATIENCE_MS, this.reading, () => new Error('timed out')).catch(() => {
        // The request's own statements decide its outcome; a read that is still running counts once it is complete.
        this.freshUntil = performance.now() + 500;
      });
    }
    if (this.keys.has(key)) throw refused('its user is deprovisioned');
  }

  private async read(): Promise<void> {
    const accounts = await this.database.onSession(deprovisionedAccounts);
    this.keys = new Set(accounts.map(keyOf));
    this.freshUntil = performance.now() + KEPT_MS;
  }
}
