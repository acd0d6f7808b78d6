import { loginPath } from '../auth/login/oauth.controller.js';
import type { Settings } from '../config/settings.js';

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
