import { setTimeout as sleep } from 'node:timers/promises';
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
  private readonly closing = new AbortController();

  constructor(
    private readonly database: Database,
    private readonly polls: HeldPolls,
  ) {}

  onApplicationBootstrap(): void {
    void this.run();
  }

  onApplicationShutdown(): void {
    this.closing.abort();
  }

  /** Wakes the polls of changed accounts; does nothing while the database is unavailable. Never rejects. */
  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted)
      try {
        await sleep(INTERVAL_MS, undefined, { ref: false, signal });
        const keys = this.polls.accounts();
        for (let at = 0; at < keys.length; at += CHUNK) await this.look(keys.slice(at, at + CHUNK));
      } catch {
        // Polls time out anyway.
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
