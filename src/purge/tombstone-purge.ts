import { setTimeout as sleep } from 'node:timers/promises';
import { purgeableAfter } from '../accounts/accounts.store.js';
import { committed } from '../database/outcome.js';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, type Clock, SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { nameOfHolder, returnLease, takeLease } from '../database/lease.js';
import * as store from './tombstones.store.js';

/** The task name of the lease. */
export const PURGE_TASK = 'purge-tombstones';
const LEASE_MS = 300_000;
const DAY_MS = 86_400_000;
const ACCOUNTS_AT_ONCE = 200;
const CHUNK = 200;
/** Pause between two chunks, so that writers waiting for the same account, or on SQLite the same file, come first. */
const PAUSE_MS = 20;

export interface PurgeOptions {
  /** Only count; delete nothing. */
  dryRun?: boolean;
  onProgress?: (accounts: number, tombstones: number) => void;
  isStopped?: () => boolean;
}

/** What a purge did; `isElsewhere`: nothing, because another process is purging. */
export interface PurgeResult {
  accounts: number;
  tombstones: number;
  isElsewhere: boolean;
}

/**
 * Deletes tombstones older than `TOMBSTONE_RETENTION_DAYS`, one transaction per chunk and one process at a time. It can
 * be interrupted and repeated at any time.
 */
@Injectable()
export class TombstonePurge {
  /** Tombstones deleted by this process so far. */
  purged = 0;
  isFailing = false;
  /** When this process last completed a pass, by its clock; initially its start. 0 if purging is off. */
  lastSuccessOn: number;
  private readonly holder = nameOfHolder();

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'tombstoneRetentionDays'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.lastSuccessOn = settings.tombstoneRetentionDays > 0 ? clock() : 0;
  }

  /** One pass over all accounts. Rejects with 503 / 201 when the database stays unavailable. */
  async run(options: PurgeOptions = {}): Promise<PurgeResult> {
    try {
      const result = await this.pass(options);
      this.isFailing = false;
      if (!result.isElsewhere) this.lastSuccessOn = this.clock();
      return result;
    } catch (error) {
      this.isFailing = true;
      throw error;
    }
  }

  private async pass(options: PurgeOptions): Promise<PurgeResult> {
    const before = this.clock() - this.settings.tombstoneRetentionDays * DAY_MS;
    const result = { accounts: 0, tombstones: 0, isElsewhere: false };
    for (let after: Buffer | undefined = Buffer.alloc(0); after && !options.isStopped?.();) {
      if (!options.dryRun && !(await this.hasLease())) return { ...result, isElsewhere: true };
      after = await this.purgeFrom(after, before, options, result);
    }
    if (!options.dryRun) await returnLease(this.database, PURGE_TASK, this.holder);
    return result;
  }

  private hasLease(): Promise<boolean> {
    return takeLease(this.database, { task: PURGE_TASK, holder: this.holder, now: this.clock(), forMs: LEASE_MS });
  }

  /** Purges some accounts and returns the key of the last one; undefined when there are no more. */
  private async purgeFrom(after: Buffer, before: number, options: PurgeOptions, result: PurgeResult) {
    const accounts = await this.database.onSession((session) =>
      purgeableAfter(session, after, before, ACCOUNTS_AT_ONCE),
    );
    for (const { account } of accounts.filter(({ isDue }) => isDue)) {
      if (options.isStopped?.()) return undefined;
      result.tombstones += await this.purgeAccount(account, before, options);
      result.accounts++;
      options.onProgress?.(result.accounts, result.tombstones);
    }
    return accounts.length < ACCOUNTS_AT_ONCE ? undefined : accounts.at(-1)!.account;
  }

  private async purgeAccount(account: Buffer, before: number, { dryRun, isStopped }: PurgeOptions): Promise<number> {
    const size = dryRun ? Number.MAX_SAFE_INTEGER : CHUNK;
    for (let count = 0; ; await sleep(PAUSE_MS)) {
      const found = await this.database.onSession((session) => store.findTombstones(session, account, before, size));
      if (dryRun || found.length === 0 || isStopped?.()) return count + (dryRun ? found.length : 0);
      count += await this.database.inTransaction(async (transaction) =>
        committed(await store.deleteTombstones(transaction, account, found.at(-1)!)),
      );
      this.purged += found.length;
      if (found.length < CHUNK) return count;
    }
  }
}
