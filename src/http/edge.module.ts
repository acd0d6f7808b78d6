import { Global, Module } from '@nestjs/common';
import { LoadMonitor } from './load/load-monitor.js';
import { MemorySlots } from './memory-slots.js';
import { ReplyWriter } from './response/reply.js';
import { KnownPaths } from './routing/known-paths.js';
import { ServiceStatus } from './service-status.js';

const SHARED = [ServiceStatus, LoadMonitor, KnownPaths, ReplyWriter, MemorySlots];

/** What all HTTP features share: the service's status, its load, its known paths and the limits on memory. */
@Global()
@Module({ providers: SHARED, exports: SHARED })
export class EdgeModule {}
