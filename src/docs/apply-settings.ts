import type { OpenAPIObject } from '@nestjs/swagger';
import { loginPath } from '../auth/login/oauth.controller.js';
import type { OAuthSettings, Settings } from '../config/settings.js';
import { operationsOf } from './vocabulary/open-api.js';

/** Where browsers sign in and exchange codes for tokens. */
export interface LoginEndpoints {
  authorizationUrl: string;
  tokenUrl: string;
}

/** Writes into the document of the build what depends on the settings: names, URLs, limits, and who is let in. */
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

/** The name of the identity provider is in the paths of the login. */
const withLoginPaths = (paths: OpenAPIObject['paths'], settings: Settings): OpenAPIObject['paths'] =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path.replace(/^\/v2\/[^/]+-oauth(?=\/)/, () => `/${loginPath(settings)}`),
      item,
    ]),
  );
