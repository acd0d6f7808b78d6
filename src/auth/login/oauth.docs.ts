import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiQuery, ApiSchema, ApiTags } from '@nestjs/swagger';
import { answers, refuses, refusesUnreadable, refusesWith } from '../../docs/vocabulary/answers.js';
import { describes } from '../../docs/vocabulary/describes.js';
import { OAuthController } from './oauth.controller.js';

/** What a client needs to talk to the identity provider itself. */
@ApiSchema({ name: 'OAuthParameters' })
export class OAuthParametersDto {
  @ApiProperty({ type: 'string', description: 'The client id of this service at the provider.' })
  client_id: string;

  @ApiProperty({ type: 'string', format: 'uri', description: 'The base URL of the provider, which is its issuer.' })
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
    ...refuses('deprecated', 'tooManyRequests', 'unexpected'),
    refusesUnreadable,
  );

/** What is said on the way to the provider and back: the cookie begins or ends a login. */
const SAID_TO_BROWSERS = ['Referrer-Policy', 'Set-Cookie'] as const;

const query = (name: string, required: boolean, description: string, example?: string): MethodDecorator =>
  ApiQuery({ name, required, description, schema: { type: 'string' }, example });

const redirection = (description: string): MethodDecorator =>
  answers(302, description, { names: ['Location', ...SAID_TO_BROWSERS] });

describes(OAuthController, ApiTags('login'), {
  showParameters: applyDecorators(
    operation('showOAuthParameters', 'Show the identity provider', 'For clients that obtain their token themselves.'),
    ...refuses('unavailable'),
    answers(200, 'The identity provider.', { type: OAuthParametersDto, examples: parameters }),
  ),
  begin: applyDecorators(
    operation(
      'beginLogin',
      'Begin a login',
      'Redirects the browser to the login form of the identity provider, and from there to `redirect` with the token ' +
        'appended to its fragment.',
    ),
    ...refusesWith(SAID_TO_BROWSERS, 'invalidParameter', 'missingParameter', 'unavailable'),
    query(
      'redirect',
      true,
      'Where to send the token: an absolute http(s) URL in one of the authorised domains.',
      'http://localhost:3000/#auth:',
    ),
    redirection('To the login form.'),
  ),
  finish: applyDecorators(
    operation(
      'finishLogin',
      'Finish a login',
      'The identity provider redirects the browser here; clients do not call it.',
    ),
    ...refusesWith(SAID_TO_BROWSERS, 'invalidParameter', 'missingParameter', 'invalidAuthorization', 'unavailable'),
    query('code', true, 'The authorization code.'),
    query('state', true, 'Identifies the login in this browser.'),
    query('iss', false, 'The issuer, if the provider sends it.'),
    query('error', false, 'Why the provider refuses the login; sent instead of `code`.'),
    redirection('To the `redirect` of the login, with the token.'),
  ),
});
