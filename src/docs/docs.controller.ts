import { readFileSync } from 'node:fs';
import { Controller, Get, Module, Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AuthModule } from '../auth/auth.module.js';
import { withinLimit } from '../auth/provider/bounded-fetch.js';
import { IdentityProvider } from '../auth/provider/identity-provider.js';
import { projectFile } from '../config/project-file.js';
import { Settings } from '../config/settings.js';
import { Public } from '../http/access.js';
import { KnownPaths } from '../http/routing/unmatched.controller.js';
import { Reply } from '../http/response/reply.js';
import { ServiceStatus } from '../http/service-status.js';
import { errorsPage } from './html-pages.js';
import { applySettings, type OpenApiDocument } from './open-api-description.js';
import { assets, initializer, page, pagePolicy } from './swagger-ui.js';

/** Written by the build from `openapi.yaml`. */
const CONTRACT = projectFile('dist/openapi.json');
/** The page of the documentation waits no longer for the provider. */
const ENDPOINTS_LIMIT_MS = 1000;

/** The documentation of the API: `/v2/openapi.json` for programs, `/docs` for people. */
@Public({ outlivesService: true })
@Controller()
export class DocsController {
  private readonly assets = assets();
  private readonly contract = readFileSync(CONTRACT, 'utf8');

  constructor(
    private readonly settings: Settings,
    private readonly provider: IdentityProvider,
    private readonly status: ServiceStatus,
    paths: KnownPaths,
  ) {
    paths.addFolder('/docs/', (name) => this.assets.has(name));
  }

  @Get('v2/openapi.json')
  async document(): Promise<OpenApiDocument> {
    return applySettings(this.contract, this.settings, await this.loginEndpoints());
  }

  @Get('docs{/}')
  async page(@Req() request: Request): Promise<Reply> {
    const { tokenUrl } = await this.loginEndpoints();
    return html(page(this.settings.serviceName, request.path), pagePolicy([tokenUrl, this.settings.publicUrl]));
  }

  @Get('docs/errors')
  errors(): Reply {
    const { components } = JSON.parse(this.contract) as OpenApiDocument;
    return html(errorsPage(this.settings.serviceName, Object.values(components.examples)), pagePolicy([]));
  }

  @Get('docs/initializer.js')
  initializer(): Reply {
    return text('javascript', initializer(this.settings));
  }

  @Get('docs/*path')
  asset(@Param('path') path: string[]): Reply {
    return this.assets.reply(path.join('/'));
  }

  /** As the provider publishes them; while it is unavailable, the paths that the development provider and many others use. */
  private async loginEndpoints() {
    const { oauthUri } = this.settings;
    const found = withinLimit(this.provider.discovered(), ENDPOINTS_LIMIT_MS);
    const metadata = await this.status.monitor.whileWaiting(found).catch(() => undefined);
    return {
      authorizationUrl: metadata?.authorization_endpoint ?? `${oauthUri}/auth`,
      tokenUrl: metadata?.token_endpoint ?? `${oauthUri}/token`,
    };
  }
}

const html = (page: string, policy: string): Reply => text('html', page).with({ 'Content-Security-Policy': policy });

const text = (type: string, content: string): Reply =>
  new Reply(200, Buffer.from(content), { 'Content-Type': `text/${type}; charset=utf-8` });

@Module({ imports: [AuthModule], controllers: [DocsController] })
export class DocsModule {}
