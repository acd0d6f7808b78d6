import { Controller, Get, Module, Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AuthModule } from '../auth/auth.module.js';
import { Settings } from '../config/settings.js';
import { Public } from '../http/access.js';
import { KnownPaths } from '../http/routing/known-paths.js';
import { Reply } from '../http/response/reply.js';
import { errorsPage } from './html-pages.js';
import { OpenApiDescription } from './open-api-description.js';
import { assets, initializer, page, pagePolicy } from './swagger-ui.js';

/** The documentation of the API: `/v2/openapi.json` for programs, `/docs` for people. */
@Public({ outlivesService: true })
@Controller()
export class DocsController {
  private readonly assets = assets();

  constructor(
    private readonly settings: Settings,
    private readonly description: OpenApiDescription,
    paths: KnownPaths,
  ) {
    paths.addFolder('/docs/', (name) => this.assets.has(name));
  }

  @Get('v2/openapi.json')
  async document(): Promise<Reply> {
    return new Reply(200, await this.description.json());
  }

  @Get('docs{/}')
  async page(@Req() request: Request): Promise<Reply> {
    const { tokenUrl } = await this.description.loginEndpoints();
    return html(page(this.settings.serviceName, request.path), pagePolicy([tokenUrl, this.settings.publicUrl]));
  }

  @Get('docs/errors')
  errors(): Reply {
    return html(errorsPage(this.settings.serviceName, this.description.errors()), pagePolicy([]));
  }

  @Get('docs/initializer.js')
  initializer(): Reply {
    return text('javascript', initializer(this.settings));
  }

  @Get('docs/*path')
  asset(@Param('path') path: string[]): Reply {
    return this.assets.reply(path.join('/'));
  }
}

const html = (page: string, policy: string): Reply => text('html', page).with({ 'Content-Security-Policy': policy });

const text = (type: string, content: string): Reply =>
  new Reply(200, Buffer.from(content), { 'Content-Type': `text/${type}; charset=utf-8` });

@Module({ imports: [AuthModule], controllers: [DocsController], providers: [OpenApiDescription] })
export class DocsModule {}
