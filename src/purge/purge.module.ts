import { Module } from '@nestjs/common';
import { PurgeSchedule } from './purge-schedule.js';
import { TombstonePurge } from './tombstone-purge.js';

/** Deletes tombstones after `TOMBSTONE_RETENTION_DAYS`. */
@Module({ providers: [TombstonePurge, PurgeSchedule], exports: [TombstonePurge] })
export class PurgeModule {}
