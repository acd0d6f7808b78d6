import { Module } from '@nestjs/common';
import { DueErasures } from './erasures.js';
import { PurgeSchedule } from './purge-schedule.js';
import { TombstonePurge } from './tombstone-purge.js';

/** Deletes tombstones after `TOMBSTONE_RETENTION_DAYS`, and the lists of deprovisioned users. */
@Module({ providers: [DueErasures, TombstonePurge, PurgeSchedule], exports: [TombstonePurge] })
export class PurgeModule {}
