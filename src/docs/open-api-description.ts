import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { loginPath } from '../auth/login/oauth.controller.js';
import { withinLimit } from '../auth/provider/bounded-fetch.js';
import { IdentityProvider } from '../auth/provider/identity-provider.js';
import { projectFolder } from '../config/project-folder.js';
import { Settings } from '../config/settings.js';
import { ServiceStatus } from '../http/service-status.js';

/** Written by the build from `openapi.yaml`. */
const DOCUMENT = join(projectFolder(), 'dist/openapi.json');
/** The page of the documentation waits no longer for the provider. */
const ENDPOINTS_LIMIT_MS = 1000;

/** The parts of an OpenAPI document that the service reads or fills in. */
export interface OpenApiDocument {
  info: { title: string };
  servers: { url: string }[];
  security: Record<string, string[]>[];
  paths: Record<string, object>;
  components: {
    securitySchemes: { oauth2: { flows: object }; basic?: object };
    examples: Record<string, Example>;
  };
}

/** An example of a body; those with an `errno` say what that error means, and what to do about it. */
export interface Example {
  summary: string;
  description?: string;
  value: { code?: number; errno?: number; error?: string; message?: string };
}

/** The OpenAPI document of the running service: the one from the build, adapted to its settings. */
@Injectable()
export class OpenApiDescription {
  private readonly contract = readFileSync(DOCUMENT, 'utf8');
  private cached?: { login: string; text: string };

  constructor(
    private readonly settings: Settings,
    private readonly provider: IdentityProvider,
    private readonly status: ServiceStatus,
  ) {}

  /** The document as JSON. It is cached until the provider's endpoints change. */
  async json(): Promise<string> {
    const endpoints = await this.loginEndpoints();
    const login = JSON.stringify(endpoints);
    if (this.cached?.login !== login)
      this.cached = { login, text: JSON.stringify(applySettings(this.contract, this.settings, endpoints)) };
    return this.cached.text;
  }

  errors(): Example[] {
    const { components } = JSON.parse(this.contract) as OpenApiDocument;
    return Object.values(components.examples).filter(({ description, value }) => description && value.errno);
  }

  /** As the provider publishes them; while it is unavailable, the paths that the development provider and many others use. */
  async loginEndpoints() {
    const { oauthUri } = this.settings;
    const found = withinLimit(this.provider.discovered(), ENDPOINTS_LIMIT_MS);
    const metadata = await this.status.monitor.whileWaiting(found).catch(() => undefined);
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
