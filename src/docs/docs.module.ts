import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DocsController } from './docs.controller.js';
import { OpenApiDescription } from './open-api-description.js';

/** The documentation of the API: an OpenAPI document, and a page that shows it. */
@Module({ imports: [AuthModule], controllers: [DocsController], providers: [OpenApiDescription] })
export class DocsModule {}
