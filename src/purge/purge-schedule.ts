import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { isDue, nextToErase, noteErased } from '../accounts/deprovisioned.store.js';
import { CLOCK, type Clock } from '../config/settings.module.js';
import { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { committed } from '../database/transaction.js';
import { eraseUser } from './erasures.js';
import { PAUSE_MS, TombstonePurge } from './tombstone-purge.js';

const FIRST_PURGE_MS = 5_000;
/** Where only users are to be erased, which seldom happens. */
const FIRST_ERASURE_MS = 30_000;
const HOUR_MS = 3_600_000;

/**
 * Shortly after the start and then about every hour, erases the lists of deprovisioned users whose time has come, and purges
 * tombstones if `TOMBSTONE_RETENTION_DAYS` is set.
 */
@Injectable()
export class PurgeSchedule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Purge');
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    private readonly settings: Settings,
    private readonly purge: TombstonePurge,
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    const firstMs = this.settings.tombstoneRetentionDays > 0 ? FIRST_PURGE_MS : FIRST_ERASURE_MS;
    this.runIn(firstMs * withJitter());
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private runIn(ms: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => void (this.running = this.runOnce()), ms).unref();
  }

  private async runOnce(): Promise<void> {
    await this.attempt('users could not be erased', () => this.eraseUsers());
    if (this.settings.tombstoneRetentionDays > 0)
      await this.attempt('tombstones could not be purged', () => this.purgeTombstones());
    this.runIn(HOUR_MS * withJitter());
  }

  private async attempt(complaint: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn(`${complaint}, retrying in an hour: ${(error as Error).message}`);
    }
  }

  /**
   * Erases the lists of deprovisioned users whose time has come. It can be interrupted, and run by several processes at
   * once. Rejects with 503 / 201 when the database stays unavailable.
   */
  async eraseUsers(): Promise<void> {
    const { database, clock } = this;
    // One after the other, as a user may be readmitted meanwhile.
    for (;;) {
      const account = await database.onSession((session) => nextToErase(session, clock()));
      if (!account) return;
      let erased = 0;
      for await (erased of eraseUser(database, account)) {
        if (this.isStopped) return;
        if (!(await database.onSession((session) => isDue(session, account, clock())))) break;
        await sleep(PAUSE_MS);
      }
      await database.inTransaction(async (transaction) => committed(await noteErased(transaction, account, clock())));
      const user = account.toString('hex');
      this.logger.log(`erased ${erased} articles and tombstones of the deprovisioned user ${user}`);
    }
  }

  private async purgeTombstones(): Promise<void> {
    const { accounts, tombstones } = await this.purge.run({ isStopped: () => this.isStopped });
    this.logger.log(`purged ${tombstones} tombstones of ${accounts} accounts`);
  }
}

/** Spreads instances that were started together. */
const withJitter = (): number => 0.5 + Math.random();

/** Deletes tombstones after `TOMBSTONE_RETENTION_DAYS`, and the lists of deprovisioned users. */
@Module({ providers: [TombstonePurge, PurgeSchedule], exports: [TombstonePurge] })
export class PurgeModule {}
