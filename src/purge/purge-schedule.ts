import { setTimeout as sleep } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Inject, Injectable, Logger, Module } from '@nestjs/common';
import { isDue, nextToErase, noteErased } from '../accounts/accounts.store.js';
import { NOW, type Now } from '../config/now.js';
import { Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import { committed } from '../database/session.js';
import { eraseUser, purgeableBefore, purgeTombstones } from './purge.store.js';

const HOUR_MS = 3_600_000;

/** After the start and then every hour, erases lists that are due and, with `TOMBSTONE_RETENTION_DAYS`, purges tombstones. */
@Injectable()
export class PurgeSchedule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly purges = this.settings.tombstoneRetentionDays > 0;
  /** Tombstones deleted by this process so far. */
  purged = 0;
  isFailing = false;
  /** When this process last completed a purge; initially its start. 0 if purging is off. */
  lastSuccessOn = this.purges ? this.now() : 0;

  private readonly logger = new Logger('Purge');
  private readonly stop = new AbortController();
  private running?: Promise<void>;

  constructor(
    private readonly settings: Settings,
    private readonly database: Database,
    @Inject(NOW) private readonly now: Now,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stop.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stop;
    // It is not urgent where only users are to be erased, which seldom happens.
    for (let ms = this.purges ? 5_000 : 30_000; ; ms = HOUR_MS) {
      // At random, to spread instances that were started together.
      await sleep(ms * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.attempt('users could not be erased', () => this.eraseUsers());
      if (this.purges)
        this.isFailing = !(await this.attempt('tombstones could not be purged', () => this.purgeTombstones()));
    }
  }

  private async attempt(complaint: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.logger.warn(`${complaint}, retrying in an hour: ${(error as Error).message}`);
      return false;
    }
  }

  /** Erases the lists of deprovisioned users whose time has come. Rejects with 503 / 201 when the database is down. */
  async eraseUsers(): Promise<void> {
    const { database, now } = this;
    // One after the other, as a user may be readmitted meanwhile.
    for (;;) {
      const { account } = (await database.onSession((session) => nextToErase(session, now()))) ?? {};
      if (!account) return;
      let erased = 0;
      for await (erased of eraseUser(database, account)) {
        if (this.stop.signal.aborted) return;
        if (!(await database.onSession((session) => isDue(session, account, now())))) break;
      }
      await database.inTransaction(async (transaction) => committed(await noteErased(transaction, account, now())));
      this.logger.log(`erased ${erased} articles and tombstones of the deprovisioned user ${account.toString('hex')}`);
    }
  }

  /** Purges tombstones beyond the retention; shutdown interrupts it. Rejects like `eraseUsers`. */
  async purgeTombstones(): Promise<void> {
    let [accounts, tombstones] = [0, 0];
    for await (const soFar of purgeTombstones(this.database, purgeableBefore(this.settings, this.now()))) {
      this.purged += soFar.tombstones - tombstones;
      ({ accounts, tombstones } = soFar);
      if (this.stop.signal.aborted) return;
    }
    this.lastSuccessOn = this.now();
    this.logger.log(`purged ${tombstones} tombstones of ${accounts} users`);
  }
}

@Module({ providers: [PurgeSchedule] })
export class PurgeModule {}
