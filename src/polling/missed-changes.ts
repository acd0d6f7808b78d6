import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { accountOf, keyOf, lastModifiedOf } from '../accounts/accounts.store.js';
import { Database } from '../database/database.js';
import { HeldPolls } from './held-polls.js';

const CHUNK = 500;
const INTERVAL_MS = 1_000;

/**
 * Finds changes by other processes that were not announced here, because messages may be lost, late or not sent at all: one
 * statement reads the timestamps of some hundreds of accounts with polls.
 */
@Injectable()
export class MissedChanges implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer?: NodeJS.Timeout;
  private isRunning = false;

  constructor(
    private readonly database: Database,
    private readonly polls: HeldPolls,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Wakes the polls of changed accounts; does nothing while the database is unavailable. Never rejects. */
  private async run(): Promise<void> {
    if (this.isRunning || this.polls.size === 0) return;
    this.isRunning = true;
    try {
      const keys = this.polls.accounts();
      for (let at = 0; at < keys.length; at += CHUNK) await this.look(keys.slice(at, at + CHUNK));
    } catch {
      // Polls time out anyway.
    } finally {
      this.isRunning = false;
    }
  }

  private async look(keys: string[]): Promise<void> {
    const rows = await this.database.onSession((session) => lastModifiedOf(session, keys.map(accountOf)));
    const missing = new Set(keys);
    for (const { account, last_modified } of rows) {
      const key = keyOf(account);
      missing.delete(key);
      this.polls.announce(key, last_modified);
    }
    // The account was erased: the next read creates a new collection and tells the device to start over.
    for (const key of missing) this.polls.announce(key, Infinity);
  }
}
