import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ResponseMemory, BodyMemory } from './response/response-memory.js';
import { KnownPaths } from './routing/known-paths.js';
import { ServiceStatus } from './service-status.js';

/** What all HTTP features share: the service's status, its known paths and the limits on memory. */
@Global()
@Module({})
export class EdgeModule implements OnApplicationShutdown {
  constructor(private readonly status: ServiceStatus) {}

  static forRoot(status: ServiceStatus, paths: KnownPaths): DynamicModule {
    return {
      module: EdgeModule,
      providers: [
        { provide: ServiceStatus, useValue: status },
        { provide: KnownPaths, useValue: paths },
        ResponseMemory,
        BodyMemory,
      ],
      exports: [ServiceStatus, KnownPaths, ResponseMemory, BodyMemory],
    };
  }

  onApplicationShutdown(): void {
    this.status.monitor.stop();
  }
}
