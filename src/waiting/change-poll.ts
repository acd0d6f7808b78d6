import { Injectable } from '@nestjs/common';
import { lastModifiedOf } from '../accounts/accounts.store.js';
import { Database } from '../database/database.js';
import { keyOf, WaitingRoom } from './waiting-room.js';

const CHUNK = 500;

/**
 * Finds what nobody told this process: changes made by other processes, whose messages may be lost, late, or not be sent at
 * all. One statement for some hundreds of accounts, one after the other.
 */
@Injectable()
export class ChangePoll {
  private isRunning = false;

  constructor(
    private readonly database: Database,
    private readonly room: WaitingRoom,
  ) {}

  /** Wakes those for whom there is news; leaves it for the next time while the database is away. Never rejects. */
  async run(): Promise<void> {
    if (this.isRunning || this.room.size === 0) return;
    this.isRunning = true;
    try {
      const keys = this.room.accounts();
      for (let start = 0; start < keys.length; start += CHUNK) await this.ask(keys.slice(start, start + CHUNK));
    } catch {
      // Whoever waits is answered in time without us.
    } finally {
      this.isRunning = false;
    }
  }

  private async ask(keys: string[]): Promise<void> {
    const accounts = keys.map((key) => Buffer.from(key, 'base64url'));
    const rows = await this.database.onSession((session) => lastModifiedOf(session, accounts));
    const missing = new Set(keys);
    for (const { account, last_modified } of rows) {
      const key = keyOf(account);
      missing.delete(key);
      this.room.announce(key, last_modified);
    }
    // Erased: the next look begins a new collection, and tells the device to start over.
    for (const key of missing) this.room.announce(key, Infinity);
  }
}
