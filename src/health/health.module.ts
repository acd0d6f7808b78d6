import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

@Module({})
export class HealthModule {
  /** @param auth the module that knows the identity provider */
  static with(auth: DynamicModule): DynamicModule {
    return { module: HealthModule, imports: [auth], controllers: [HealthController] };
  }
}
