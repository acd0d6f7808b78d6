import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiSchema, ApiTags } from '@nestjs/swagger';
import { describeController } from '../docs/vocabulary/describe-controller.js';
import { commonErrors, errorResponses, type Examples, operationResponse } from '../docs/vocabulary/responses.js';
import { CAPABILITIES, type Capability } from './capabilities.js';
import { RootController } from './root.controller.js';

/** The limits and options that a device can rely on. */
@ApiSchema({ name: 'ServiceSettings' })
export class ServiceSettingsDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The maximum number of items in a page.' })
  page_size: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'The maximum number of requests in a batch.' })
  batch_max_requests: number;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'The maximum size of a request body in bytes.' })
  max_body_bytes: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'The maximum number of seconds for which a poll is held; 0 if polls never wait.',
  })
  wait_max_seconds: number;

  @ApiProperty({ type: 'boolean', description: 'Whether `DELETE /v2/articles` is allowed.' })
  delete_collection: boolean;
}

/** The description of the service. */
@ApiSchema({ name: 'Service' })
export class ServiceDto {
  @ApiProperty({ type: 'string', description: 'The name of the service.' })
  hello: string;

  @ApiProperty({ type: 'string', description: 'Its version.' })
  version: string;

  @ApiProperty({ type: 'string', format: 'uri', description: 'The URL of the API, without a trailing slash.' })
  url: string;

  @ApiProperty({
    type: 'string',
    format: 'date',
    required: false,
    description: 'The end-of-support date, once it is known.',
  })
  eos?: string;

  @ApiProperty({ type: 'string', format: 'uri', description: 'The URL of the documentation.' })
  documentation: string;

  @ApiProperty({ type: ServiceSettingsDto, description: 'Its limits.' })
  settings: ServiceSettingsDto;

  @ApiProperty({
    type: 'array',
    items: { type: 'string', enum: [...CAPABILITIES] },
    description: 'What is switched on: Basic credentials, login with a provider, personal tokens, waiting polls.',
  })
  capabilities: Capability[];
}

/** The running build. */
@ApiSchema({ name: 'Version' })
export class VersionDto {
  @ApiProperty({ type: 'string' })
  name: string;

  @ApiProperty({ type: 'string' })
  version: string;

  @ApiProperty({ type: 'string', description: 'The commit from which it was built, or `unknown`.' })
  commit: string;
}

const service: Examples = {
  example: {
    summary: 'A service whose end of support is known',
    value: {
      hello: 'reading list',
      version: '2.0.0',
      url: 'https://list.example.com/v2',
      eos: '2030-12-31',
      documentation: 'https://list.example.com/docs',
      settings: {
        page_size: 100,
        batch_max_requests: 25,
        max_body_bytes: 2_097_152,
        wait_max_seconds: 55,
        delete_collection: true,
      },
      capabilities: ['oauth', 'tokens', 'wait'],
    },
  },
};
const version: Examples = {
  example: {
    summary: 'A build',
    value: { name: 'reading-list', version: '2.0.0', commit: '9c363280b0ff5a0eb2b8f1e0a7a3e0f3f4e6b7c8' },
  },
};

const operation = (operationId: string, summary: string, description: string): MethodDecorator =>
  applyDecorators(
    ApiOperation({ operationId, summary, description }),
    ...errorResponses('tooManyRequests'),
    ...commonErrors,
  );

describeController(RootController, ApiTags('utility'), {
  redirect: applyDecorators(
    operation(
      'redirectToLatest',
      'Redirect to the latest version',
      'Other paths without `/v2` are redirected in the same way.',
    ),
    operationResponse(
      302,
      'Redirects a browser (`Accept: text/html`) to the web application, if that is switched on.',
      {
        headers: ['Location'],
      },
    ),
    operationResponse(307, 'Redirects to the latest version.', {
      type: ServiceDto,
      examples: service,
      headers: ['Location'],
    }),
  ),
  root: applyDecorators(
    operation(
      'describeService',
      'Describe the service',
      'Name, version, URLs, limits, and what is switched on. `/v2/` is the same.',
    ),
    operationResponse(200, 'The service.', { type: ServiceDto, examples: service }),
  ),
  showVersion: applyDecorators(
    operation('showVersion', 'Show which build is running', 'The package version and the commit.'),
    operationResponse(200, 'The build.', { type: VersionDto, examples: version }),
  ),
});
