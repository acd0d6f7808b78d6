import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { purgeableAfter } from '../accounts/accounts.store.js';
import { committed } from '../database/transaction.js';
import { CLOCK, type Clock } from '../config/settings.module.js';
import { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { deleteTombstones, findTombstones } from './purge.store.js';

const DAY_MS = 86_400_000;
const ACCOUNTS_AT_ONCE = 200;
/** Records of a transaction. */
export const CHUNK = 200;
/** Pause between two chunks, so that writers waiting for the same account, or on SQLite the same file, come first. */
export const PAUSE_MS = 20;

export interface PurgeOptions {
  /** Only count; delete nothing. */
  dryRun?: boolean;
  onProgress?: (accounts: number, tombstones: number) => void;
  isStopped?: () => boolean;
}

export interface PurgeResult {
  accounts: number;
  tombstones: number;
}

/**
 * Deletes tombstones older than `TOMBSTONE_RETENTION_DAYS`, one transaction per chunk. It can be interrupted and repeated
 * at any time, and run by several processes at once.
 */
@Injectable()
export class TombstonePurge {
  /** Tombstones deleted by this process so far. */
  purged = 0;
  isFailing = false;
  /** When this process last completed a pass, by its clock; initially its start. 0 if purging is off. */
  lastSuccessOn: number;

  constructor(
    private readonly database: Database,
    @Inject(Settings) private readonly settings: Pick<Settings, 'tombstoneRetentionDays'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.lastSuccessOn = settings.tombstoneRetentionDays > 0 ? clock() : 0;
  }

  /** One pass over all accounts. Rejects with 503 / 201 when the database stays unavailable. */
  async run(options: PurgeOptions = {}): Promise<PurgeResult> {
    try {
      const result = await this.pass(options);
      this.isFailing = false;
      this.lastSuccessOn = this.clock();
      return result;
    } catch (error) {
      this.isFailing = true;
      throw error;
    }
  }

  private async pass(options: PurgeOptions): Promise<PurgeResult> {
    const before = this.clock() - this.settings.tombstoneRetentionDays * DAY_MS;
    const result = { accounts: 0, tombstones: 0 };
    for (let after: Buffer | undefined = Buffer.alloc(0); after && !options.isStopped?.();)
      after = await this.purgeFrom(after, before, options, result);
    return result;
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
      const found = await this.database.onSession((session) => findTombstones(session, account, before, size));
      if (dryRun || found.length === 0 || isStopped?.()) return count + (dryRun ? found.length : 0);
      const deleted = await this.database.inTransaction(async (transaction) =>
        committed(await deleteTombstones(transaction, account, found.at(-1)!)),
      );
      count += deleted;
      this.purged += deleted;
      if (found.length < CHUNK) return count;
    }
  }
}
