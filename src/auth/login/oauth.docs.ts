import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiQuery, ApiSchema, ApiTags } from '@nestjs/swagger';
import { describeController } from '../../docs/vocabulary/describe-controller.js';
import {
  defaultResponse,
  errorResponses,
  errorResponsesWithHeaders,
  operationResponse,
} from '../../docs/vocabulary/responses.js';
import { OAuthController } from './oauth.controller.js';

/** What a client needs to use the identity provider directly. */
@ApiSchema({ name: 'OAuthParameters' })
export class OAuthParametersDto {
  @ApiProperty({ type: 'string', description: 'The client id of this service at the provider.' })
  client_id: string;

  @ApiProperty({
    type: 'string',
    format: 'uri',
    description: 'The issuer of the provider, which is also its base URL.',
  })
  oauth_uri: string;

  @ApiProperty({ type: 'string', description: 'The scope that a token must have.' })
  scope: string;
}

const parameters = {
  example: {
    summary: 'The development provider',
    value: { client_id: 'reading-list', oauth_uri: 'http://127.0.0.1:9000', scope: 'readinglist' },
  },
};

const operation = (operationId: string, summary: string, description: string) =>
  applyDecorators(
    ApiOperation({ operationId, summary, description }),
    ...errorResponses('deprecated', 'tooManyRequests', 'unexpected'),
    defaultResponse,
  );

/** The headers of the redirects to the provider and back: the cookie begins or ends a login. */
const LOGIN_HEADERS = ['Referrer-Policy', 'Set-Cookie'] as const;

const query = (name: string, required: boolean, description: string, example?: string): MethodDecorator =>
  ApiQuery({ name, required, description, schema: { type: 'string' }, example });

const redirection = (description: string): MethodDecorator =>
  operationResponse(302, description, { headers: ['Location', ...LOGIN_HEADERS] });

describeController(OAuthController, ApiTags('login'), {
  showParameters: applyDecorators(
    operation('showOAuthParameters', 'Show the identity provider', 'For clients that obtain their token themselves.'),
    ...errorResponses('unavailable'),
    operationResponse(200, 'The identity provider.', { type: OAuthParametersDto, examples: parameters }),
  ),
  begin: applyDecorators(
    operation(
      'beginLogin',
      'Begin a login',
      'Redirects the browser to the login form of the identity provider, and from there to `redirect` with the token ' +
        'appended to its fragment.',
    ),
    ...errorResponsesWithHeaders(LOGIN_HEADERS, 'invalidParameter', 'missingParameter', 'unavailable'),
    query(
      'redirect',
      true,
      'Where to send the token: an absolute http(s) URL in one of the authorised domains.',
      'http://localhost:3000/#auth:',
    ),
    redirection('Redirects to the login form.'),
  ),
  finish: applyDecorators(
    operation(
      'finishLogin',
      'Finish a login',
      'The identity provider redirects the browser here; clients do not call it.',
    ),
    ...errorResponsesWithHeaders(
      LOGIN_HEADERS,
      'invalidParameter',
      'missingParameter',
      'invalidAuthorization',
      'unavailable',
    ),
    query('code', true, 'The authorization code.'),
    query('state', true, 'Identifies the login in this browser.'),
    query('iss', false, 'The issuer, if the provider sends it.'),
    query('error', false, 'Why the provider refuses the login; sent instead of `code`.'),
    redirection('Redirects to the `redirect` of the login, with the token.'),
  ),
});
