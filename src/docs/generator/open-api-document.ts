import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { readVersion } from '../../root/version.js';
import { ErrorDto } from '../vocabulary/responses.js';
import type { Operation, OperationResponse } from '../vocabulary/open-api.js';
import { RESPONSE_HEADERS } from '../vocabulary/response-headers.js';
import './controllers.docs.js';
import { extractComponents } from './extract-components.js';

const DESCRIPTION = `Keeps a user's reading list in sync across devices.

- Bodies are JSON. Timestamps are integers, milliseconds since 1970, and no two changes by one user have the same timestamp.
- Every error has the body \`Error\`; \`errno\` is stable, \`message\` is for people.
- Every path that supports GET also supports HEAD. Methods that a path does not support get 405 with \`Allow\`.
- Paths without \`/v2\` are redirected to it with status 307; \`/v0\` and \`/v1\` are gone (410).
- A device keeps the \`Last-Modified\` of the **first** page it lists, and sends it as \`_since\` next time.`;

/** The OpenAPI document of an application, generated from its controllers; `applySettings` adds what depends on settings. */
export function buildOpenApiDocument(app: INestApplication): OpenAPIObject {
  const options = { autoTagControllers: false, extraModels: [ErrorDto] };
  const document = SwaggerModule.createDocument(app, baseDocument(), options);
  document.components!.headers = { ...RESPONSE_HEADERS };
  addHeadOperations(document);
  makeOperationIdsUnique(document);
  extractComponents(document);
  const { openapi, info, servers, tags, paths, components } = document;
  delete info.contact;
  return { openapi, info, servers, tags, paths, components };
}

function baseDocument() {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setDescription(DESCRIPTION)
    .setVersion(readVersion().version)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addTag('articles', 'The reading list.')
    .addTag('batch', 'Several requests in one.')
    .addTag('login', 'How to get a bearer token.')
    .addTag('utility', 'Service metadata and health checks.')
    .addOAuth2({
      type: 'oauth2',
      description: LOGIN,
      flows: { authorizationCode: { scopes: {} } },
    })
    .addSecurity('bearer', { type: 'http', scheme: 'bearer', description: BEARER })
    .addSecurity('basic', {
      type: 'http',
      scheme: 'basic',
      description: 'Any user name and password: each pair is a separate user. Not accepted for batches.',
    })
    .build();
}

const BEARER = 'An access token of the identity provider or, if they are switched on, a personal token.';
const LOGIN = 'Sign in at the identity provider (authorization code with PKCE, S256).';

const HEAD_OF_ARTICLE = {
  operationId: 'checkArticle',
  summary: 'Check an article',
  description: 'The same headers as GET, without the record.',
};

/** Every GET has a HEAD with the same headers and no body; only those of articles, which devices use, are documented. */
function addHeadOperations({ paths }: OpenAPIObject): void {
  for (const item of Object.values(paths)) {
    if (!item.get?.tags?.includes('articles')) continue;
    const { operationId, summary, description } = item.head ?? HEAD_OF_ARTICLE;
    const responses = mapValues(item.get.responses, ({ content: _, ...response }) => response);
    const parameters = [...item.get.parameters!];
    item.head = { ...item.get, operationId, summary, description, parameters, responses };
  }
}

function mapValues(
  responses: Operation['responses'],
  map: (response: OperationResponse) => OperationResponse,
): Record<string, OperationResponse> {
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [status, map(response as OperationResponse)]),
  );
}

/** A path with and without `/v2` is one method of a controller, so until here both operations have the same id. */
function makeOperationIdsUnique({ paths }: OpenAPIObject): void {
  for (const [path, { get }] of Object.entries(paths))
    if (get && paths[`/v2${path}`]) get.operationId = `${get.operationId}Unprefixed`;
}
