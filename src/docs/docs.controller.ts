import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../auth/public.js';
import { resourceParameter } from '../auth/resource-parameter.js';
import { SETTINGS } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { OutlivesService } from '../http/end-of-service.guard.js';
import { RawJson, Reply } from '../http/reply.js';
import { ApiError } from '../protocol/api-error.js';
import { OpenApiDescription } from './open-api-description.js';
import { OpenApiDocs } from './open-api.docs.js';
import { initializer, page, pagePolicy, readAsset } from './swagger-ui.js';

/** The description of the service for programs, `/v2/openapi.json`, and for people, `/docs`. */
@Public()
@OutlivesService()
@Controller()
export class DocsController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(OpenApiDescription) private readonly description: OpenApiDescription,
  ) {}

  @OpenApiDocs.document
  @Get('v2/openapi.json')
  async document(): Promise<Reply> {
    return new Reply(200, new RawJson(await this.description.json()));
  }

  @ApiExcludeEndpoint()
  @Get('docs{/}')
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { tokenUrl } = await this.description.loginEndpoints();
    response.setHeader('Content-Security-Policy', pagePolicy([tokenUrl, this.settings.publicUrl]));
    send(response, 'text/html; charset=utf-8', page(this.settings.serviceName, request.path));
  }

  @ApiExcludeEndpoint()
  @Get('docs/initializer.js')
  initializer(@Res() response: Response): void {
    const { production, oauth } = this.settings;
    const script = initializer({ production, scope: oauth.scope, parameters: resourceParameter(oauth) });
    send(response, 'text/javascript; charset=utf-8', script);
  }

  @ApiExcludeEndpoint()
  @Get('docs/*path')
  async asset(@Param('path') path: string[], @Res() response: Response): Promise<void> {
    const asset = await readAsset(path.join('/'));
    if (!asset) throw new ApiError('notFound', 'Unknown path');
    send(response, asset.contentType, asset.content);
  }
}

function send(response: Response, contentType: string, content: string | Buffer): void {
  response.setHeader('Content-Type', contentType);
  response.setHeader('Content-Length', Buffer.byteLength(content));
  response.end(content);
}
