import { type DynamicModule, Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { ServiceStatus } from './service-status.js';

/** What the service tells all clients. */
@Global()
@Module({})
export class HttpModule implements OnApplicationShutdown {
  constructor(@Inject(ServiceStatus) private readonly status: ServiceStatus) {}

  static forRoot(status: ServiceStatus): DynamicModule {
    return { module: HttpModule, providers: [{ provide: ServiceStatus, useValue: status }], exports: [ServiceStatus] };
  }

  onApplicationShutdown(): void {
    this.status.monitor.stop();
  }
}
