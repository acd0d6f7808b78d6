import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import { TombstonePurge } from './tombstone-purge.js';

const FIRST_MS = 5_000;
const HOUR_MS = 3_600_000;

/** Purges tombstones shortly after the start and then about every hour, if `TOMBSTONE_RETENTION_DAYS` is set. */
@Injectable()
export class PurgeSchedule implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('Purge');
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly purge: TombstonePurge,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.tombstoneRetentionDays > 0) this.runIn(FIRST_MS * withJitter());
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
    try {
      const { accounts, tombstones } = await this.purge.run({ isStopped: () => this.isStopped });
      this.logger.log(`purged ${tombstones} tombstones of ${accounts} accounts`);
    } catch (error) {
      this.logger.warn(`tombstones could not be purged, retrying in an hour: ${(error as Error).message}`);
    }
    this.runIn(HOUR_MS * withJitter());
  }
}

/** Spreads instances that were started together. */
const withJitter = (): number => 0.5 + Math.random();
