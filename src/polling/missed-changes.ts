import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { accountOf, keyOf } from '../accounts/account.row.js';
import { lastModifiedOf, progressOf } from '../accounts/accounts.store.js';
import { Database } from '../database/database.js';
import type { Timestamp } from '../protocol/timestamp.js';
import { HeldPolls } from './held-polls.js';

const CHUNK = 500;
const INTERVAL_MS = 1_000;

/**
 * Finds changes by other processes that were not announced here, because messages may be lost, late or not sent at all.
 * One statement checks some hundreds of accounts; only if something changed does another find out which.
 */
@Injectable()
export class MissedChanges implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer?: NodeJS.Timeout;
  private isRunning = false;
  /** The timestamps last read for accounts that still have polls. */
  private readonly known = new Map<string, Timestamp>();

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
      for (const key of this.known.keys()) if (!this.polls.hasPolls(key)) this.known.delete(key);
      const news = this.polls.accounts().filter((key) => !this.known.has(key));
      for (const chunk of chunks([...this.known.keys()])) if (await this.hasChanged(chunk)) news.push(...chunk);
      for (const chunk of chunks(news)) await this.refresh(chunk);
    } catch {
      // Polls time out anyway.
    } finally {
      this.isRunning = false;
    }
  }

  private async hasChanged(keys: string[]): Promise<boolean> {
    const { present, progress } = await this.database.onSession((session) => progressOf(session, keys.map(accountOf)));
    return present !== keys.length || progress !== keys.reduce((sum, key) => sum + this.known.get(key)!, 0);
  }

  private async refresh(keys: string[]): Promise<void> {
    const rows = await this.database.onSession((session) => lastModifiedOf(session, keys.map(accountOf)));
    const missing = new Set(keys);
    for (const { account, last_modified } of rows) {
      const key = keyOf(account);
      missing.delete(key);
      this.known.set(key, last_modified);
      this.polls.announce(key, last_modified);
    }
    // The account was erased: the next read creates a new collection and tells the device to start over.
    for (const key of missing) {
      this.known.delete(key);
      this.polls.announce(key, Infinity);
    }
  }
}

function chunks(keys: string[]): string[][] {
  return Array.from({ length: Math.ceil(keys.length / CHUNK) }, (_, at) => keys.slice(at * CHUNK, (at + 1) * CHUNK));
}
