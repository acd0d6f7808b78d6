import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DocsController } from './docs.controller.js';
import { OpenApiDescription } from './open-api-description.js';

/** The documentation of the service: an OpenAPI document, and pages that show it. */
@Module({ imports: [AuthModule], controllers: [DocsController], providers: [OpenApiDescription] })
export class DocsModule {}
