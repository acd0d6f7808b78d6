import type { OpenAPIObject } from '@nestjs/swagger';
import { loginPath } from '../auth/login/oauth.controller.js';
import type { OAuthSettings, Settings } from '../config/settings.js';
import { operationsOf } from './vocabulary/open-api.js';

/** Where browsers sign in and exchange codes for tokens. */
export interface LoginEndpoints {
  authorizationUrl: string;
  tokenUrl: string;
}

/** Adds what depends on the settings to the document from the build: names, URLs, limits, and accepted credentials. */
export function applySettings(document: OpenAPIObject, settings: Settings, login: LoginEndpoints): OpenAPIObject {
  const { serviceName: title, publicUrl, basicAuthEnabled, batchMaxRequests, oauth, webAppEnabled } = settings;
  const { schemas, securitySchemes } = document.components!;
  const loginFlow = { ...login, scopes: scopes(oauth) };
  Object.assign(securitySchemes!.oauth2!, { flows: { authorizationCode: loginFlow } });
  if (!basicAuthEnabled) delete securitySchemes!.basic;
  if (!webAppEnabled) delete document.paths['/']!.get!.responses['302'];
  const { requests } = (schemas!.Batch as { properties: { requests: object } }).properties;
  Object.assign(requests, { maxItems: batchMaxRequests });
  for (const operation of operationsOf(document)) {
    operation.security = (operation.security ?? []).filter((scheme) => basicAuthEnabled || !('basic' in scheme));
    for (const scheme of operation.security) if (scheme.oauth2) scheme.oauth2 = Object.keys(loginFlow.scopes);
  }
  return {
    ...document,
    info: { ...document.info, title },
    servers: [{ url: publicUrl ?? '/' }],
    paths: withLoginPaths(document.paths, settings),
  };
}

const scopes = ({ scope }: OAuthSettings): Record<string, string> =>
  Object.fromEntries(scope.split(/\s+/).map((name) => [name, 'Read and change the reading list.']));

/** The login paths contain the name of the identity provider. */
const withLoginPaths = (paths: OpenAPIObject['paths'], settings: Settings): OpenAPIObject['paths'] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path.replace(/^\/v2\/[^/]+-oauth(?=\/)/, () => `/${loginPath(settings)}`),
      item,
    ]),
  );
