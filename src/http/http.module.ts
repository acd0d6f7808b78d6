import { type DynamicModule, Global, Module } from '@nestjs/common';
import { ServiceStatus } from './service-status.js';

/** What the service tells all clients. */
@Global()
@Module({})
export class HttpModule {
  static forRoot(status: ServiceStatus): DynamicModule {
    return { module: HttpModule, providers: [{ provide: ServiceStatus, useValue: status }], exports: [ServiceStatus] };
  }
}
