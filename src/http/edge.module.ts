import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { DatabaseLoad, LoadMonitor } from './load/load-monitor.js';
import { BodySlots, ResponseSlots } from './memory-slots.js';
import { ReplyWriter } from './response/reply.js';
import { KnownPaths } from './routing/known-paths.js';
import { ServiceStatus } from './service-status.js';

const SHARED = [ServiceStatus, LoadMonitor, KnownPaths, ReplyWriter, ResponseSlots, BodySlots];

/** What all HTTP features share: the service's status, its load, its known paths and the limits on memory. */
@Global()
@Module({})
export class EdgeModule {
  /** @param database the provider whose load counts as the service's */
  static watching(database: Type<DatabaseLoad>): DynamicModule {
    return {
      module: EdgeModule,
      providers: [...SHARED, { provide: DatabaseLoad, useExisting: database }],
      exports: SHARED,
    };
  }
}
