import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiSchema, ApiTags, IntersectionType } from '@nestjs/swagger';
import { answers, ErrorDto, refuses, refusesAnything, refusesUnreadable } from '../docs/vocabulary/answers.js';
import { describes } from '../docs/vocabulary/describes.js';
import { HealthController } from './health.controller.js';

/** Whether each dependency works. */
@ApiSchema({ name: 'Heartbeat', description: 'One key for each dependency in use: true when it works.' })
export class HeartbeatDto {
  @ApiProperty({ type: 'boolean' })
  database: boolean;

  @ApiProperty({ type: 'boolean', required: false, description: 'Redis, where it is set up.' })
  cache?: boolean;

  @ApiProperty({ type: 'boolean', required: false, description: 'The identity provider, where it is set up.' })
  oauth?: boolean;
}

/** The same with an error. */
@ApiSchema({ name: 'FailedHeartbeat', description: 'The states of the dependencies and the error.' })
export class FailedHeartbeatDto extends IntersectionType(HeartbeatDto, ErrorDto) {}

/** No properties. */
@ApiSchema({ name: 'Nothing', description: 'An empty mapping.' })
export class NothingDto {}

const up = { example: { summary: 'All is well', value: { database: true, cache: true, oauth: true } } };
const down = {
  example: {
    summary: 'The database is away',
    value: {
      database: false,
      oauth: true,
      code: 503,
      errno: 201,
      error: 'Service Unavailable',
      message: 'Not available: database',
    },
  },
};

describes(HealthController, ApiTags('utility'), {
  heartbeat: applyDecorators(
    ApiOperation({
      operationId: 'checkHeartbeat',
      summary: 'Check every dependency',
      description: 'Asks each of them, reads only, and answers within a few seconds whatever hangs.',
    }),
    answers(200, 'Every dependency works.', { type: HeartbeatDto, examples: up }),
    answers(503, 'At least one does not (errno 201).', { type: FailedHeartbeatDto, examples: down }),
    ...refuses('unexpected'),
    refusesUnreadable,
  ),
  lbheartbeat: applyDecorators(
    ApiOperation({
      operationId: 'checkInstance',
      summary: 'Say whether this instance wants requests',
      description: 'For load balancers: asks no dependency.',
    }),
    answers(200, 'It does.', { type: NothingDto, examples: { example: { summary: 'Nothing to say', value: {} } } }),
    ...refusesAnything,
  ),
});
