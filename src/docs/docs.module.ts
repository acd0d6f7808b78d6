import { type DynamicModule, Module } from '@nestjs/common';
import { DocsController } from './docs.controller.js';
import { OpenApiDescription } from './open-api-description.js';

/** The documentation of the service: an OpenAPI document, and pages that show it. */
@Module({})
export class DocsModule {
  /** @param auth the module that knows the identity provider */
  static with(auth: DynamicModule): DynamicModule {
    return { module: DocsModule, imports: [auth], controllers: [DocsController], providers: [OpenApiDescription] };
  }
}
