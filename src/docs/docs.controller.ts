import { readFileSync } from 'node:fs';
import { Controller, Get, Module, Param, Req } from '@nestjs/common';
import type { Request } from 'express';
import { AuthModule } from '../auth/auth.module.js';
import { loginPath } from '../auth/login/oauth.controller.js';
import { withinLimit } from '../auth/provider/bounded-fetch.js';
import { IdentityProvider } from '../auth/provider/identity-provider.js';
import { projectFile } from '../config/project-file.js';
import { Settings } from '../config/settings.js';
import { Public } from '../http/access.js';
import { KnownPaths } from '../http/routing/unmatched.controller.js';
import { CONTENT_TYPE, Reply } from '../http/response/reply.js';
import { ServiceStatus } from '../http/service-status.js';
import { errorsPage, type Example, swaggerFiles, swaggerInitializer, swaggerPage } from './pages.js';

/** The parts of an OpenAPI document that the service reads or fills in. */
export interface OpenApiDocument {
  info: { title: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, object>;
  components: { securitySchemes: { oauth2: { flows: object }; basic?: object }; examples: Record<string, Example> };
}

/** The documentation of the API: `/v2/openapi.json` for programs, `/docs` for people. */
@Public({ outlivesService: true })
@Controller()
export class DocsController {
  private readonly files = swaggerFiles();
  /** Written by the build from `openapi.yaml`. */
  private readonly contract = readFileSync(projectFile('dist/openapi.json'), 'utf8');
  /** Made once, as anybody can ask for them: the page of errors, and the document with the login's endpoints as they are. */
  private errorsReply?: Reply;
  private described = { login: '', reply: new Reply(200) };

  constructor(
    private readonly settings: Settings,
    private readonly provider: IdentityProvider,
    private readonly status: ServiceStatus,
    paths: KnownPaths,
  ) {
    paths.folders.set('/docs/', this.files);
  }

  @Get('v2/openapi.json')
  async document(@Req() request: Request): Promise<Reply> {
    const endpoints = await this.loginEndpoints(request);
    const login = JSON.stringify(endpoints);
    if (this.described.login !== login) {
      const json = JSON.stringify(applySettings(this.contract, this.settings, endpoints));
      this.described = { login, reply: new Reply(200, Buffer.from(json), { 'Content-Type': CONTENT_TYPE }) };
    }
    return this.described.reply;
  }

  @Get('docs{/}')
  async page(@Req() request: Request): Promise<Reply> {
    const { tokenUrl } = await this.loginEndpoints(request);
    return html(swaggerPage(this.settings.serviceName, request.path), tokenUrl, this.settings.publicUrl ?? '');
  }

  @Get('docs/errors')
  errors(): Reply {
    if (!this.errorsReply) {
      const { components } = JSON.parse(this.contract) as OpenApiDocument;
      this.errorsReply = html(errorsPage(this.settings.serviceName, Object.values(components.examples)));
    }
    return this.errorsReply;
  }

  @Get('docs/initializer.js')
  initializer(): Reply {
    return text('javascript', swaggerInitializer(this.settings));
  }

  @Get('docs/*path')
  asset(@Param('path') path: string[]): Reply {
    return this.files.find(path.join('/')).reply;
  }

  /** As the provider publishes them; without it for a second, the paths that the development provider and many others use. */
  private async loginEndpoints({ context }: Request) {
    const { oauthUri } = this.settings;
    const found = withinLimit(this.provider.discovered(), 1000).finally(this.status.monitor.pause(context));
    const metadata = await found.catch(() => undefined);
    return {
      authorizationUrl: metadata?.authorization_endpoint ?? `${oauthUri}/auth`,
      tokenUrl: metadata?.token_endpoint ?? `${oauthUri}/token`,
    };
  }
}

/** The document of `openapi.yaml` with what depends on the settings: name, URLs, scopes, and whether Basic is accepted. */
export function applySettings(text: string, settings: Settings, login: object): OpenApiDocument {
  const document = JSON.parse(text.replaceAll('"/v2/acct-oauth/', `"/${loginPath(settings)}/`)) as OpenApiDocument;
  const { securitySchemes } = document.components;
  const scopes = settings.oauthScope.split(/\s+/).map((name) => [name, 'Read and change the reading list.']);
  securitySchemes.oauth2.flows = { authorizationCode: { ...login, scopes: Object.fromEntries(scopes) as object } };
  if (!settings.basicAuthEnabled) {
    delete securitySchemes.basic;
    document.security = document.security.filter((scheme) => !scheme.basic);
  }
  document.info.title = settings.serviceName;
  document.servers = [{ url: settings.publicUrl ?? '/' }];
  return document;
}

/** A page that may connect only to its own origin and those of the URLs; a relative URL is ignored. */
function html(page: string, ...urls: string[]): Reply {
  const peers = ["'self'", ...new Set(urls.filter((url) => URL.canParse(url)).map((url) => new URL(url).origin))];
  const loaded = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";
  const policy = `${loaded}; connect-src ${peers.join(' ')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  return text('html', page).with({ 'Content-Security-Policy': policy });
}

const text = (type: string, content: string): Reply =>
  new Reply(200, Buffer.from(content), { 'Content-Type': `text/${type}; charset=utf-8` });

@Module({ imports: [AuthModule], controllers: [DocsController] })
export class DocsModule {}
