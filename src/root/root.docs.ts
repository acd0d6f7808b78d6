import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { answers, type Examples, refuses, refusesAnything } from '../docs/vocabulary/answers.js';

/** What the service says about itself. */
@ApiSchema({ name: 'Service' })
export class ServiceDto {
  @ApiProperty({ type: 'string', description: 'The name of the service.' })
  hello: string;

  @ApiProperty({ type: 'string', description: 'Its version.' })
  version: string;

  @ApiProperty({ type: 'string', format: 'uri', description: 'The address of the API, without a slash at the end.' })
  url: string;

  @ApiProperty({
    type: 'string',
    format: 'date',
    required: false,
    description: 'The end of support, once it is known.',
  })
  eos?: string;

  @ApiProperty({ type: 'string', format: 'uri', description: 'The address of the documentation.' })
  documentation: string;
}

/** The build that runs. */
@ApiSchema({ name: 'Version' })
export class VersionDto {
  @ApiProperty({ type: 'string' })
  name: string;

  @ApiProperty({ type: 'string' })
  version: string;

  @ApiProperty({ type: 'string', description: 'The commit it was built from, or `unknown`.' })
  commit: string;
}

const service: Examples = {
  example: {
    summary: 'A service with a known end',
    value: {
      hello: 'reading list',
      version: '2.0.0',
      url: 'https://list.example.com/v2',
      eos: '2030-12-31',
      documentation: 'https://list.example.com/docs',
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
    ...refuses('tooManyRequests'),
    ...refusesAnything,
  );

/** The OpenAPI description of the root endpoints. */
export const RootDocs = {
  redirect: applyDecorators(
    operation(
      'redirectToLatest',
      'Redirect to the latest version',
      'Other paths without `/v2` are redirected likewise.',
    ),
    answers(307, 'The latest version is there.', { type: ServiceDto, examples: service, names: ['Location'] }),
  ),
  root: applyDecorators(
    operation('describeService', 'Describe the service', 'Name, version and addresses; `/v2/` is the same.'),
    answers(200, 'The service.', { type: ServiceDto, examples: service }),
  ),
  version: applyDecorators(
    operation('showVersion', 'Say which build runs', 'From the package and the commit.'),
    answers(200, 'The build.', { type: VersionDto, examples: version }),
  ),
};
