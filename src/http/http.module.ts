import { type DynamicModule, Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { AnswerMemory, BodyMemory } from './response/answer-memory.js';
import { KnownPaths } from './routing/known-paths.js';
import { ServiceStatus } from './service-status.js';

/** What the service tells all clients. */
@Global()
@Module({})
export class HttpModule implements OnApplicationShutdown {
  constructor(private readonly status: ServiceStatus) {}

  static forRoot(status: ServiceStatus, paths: KnownPaths): DynamicModule {
    return {
      module: HttpModule,
      providers: [
        { provide: ServiceStatus, useValue: status },
        { provide: KnownPaths, useValue: paths },
        AnswerMemory,
        BodyMemory,
      ],
      exports: [ServiceStatus, KnownPaths, AnswerMemory, BodyMemory],
    };
  }

  onApplicationShutdown(): void {
    this.status.monitor.stop();
  }
}
