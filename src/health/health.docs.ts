import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiProperty, ApiSchema, ApiTags, IntersectionType } from '@nestjs/swagger';
import { describeController } from '../docs/vocabulary/describe-controller.js';
import {
  commonErrors,
  defaultResponse,
  ErrorDto,
  errorResponses,
  operationResponse,
} from '../docs/vocabulary/responses.js';
import { HealthController } from './health.controller.js';

/** Whether each dependency works. */
@ApiSchema({ name: 'Heartbeat', description: 'One boolean for each dependency in use: true if it works.' })
export class HeartbeatDto {
  @ApiProperty({ type: 'boolean' })
  database: boolean;

  @ApiProperty({ type: 'boolean', required: false, description: 'Redis, if configured.' })
  cache?: boolean;

  @ApiProperty({ type: 'boolean', required: false, description: 'The identity provider, if configured.' })
  oauth?: boolean;
}

/** A heartbeat with an error. */
@ApiSchema({ name: 'FailedHeartbeat', description: 'The states of the dependencies and the error.' })
export class FailedHeartbeatDto extends IntersectionType(HeartbeatDto, ErrorDto) {}

/** An object without properties. */
@ApiSchema({ name: 'Nothing', description: 'An empty object.' })
export class NothingDto {}

const up = { example: { summary: 'All is well', value: { database: true, cache: true, oauth: true } } };
const down = {
  example: {
    summary: 'The database is unavailable',
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

describeController(HealthController, ApiTags('utility'), {
  heartbeat: applyDecorators(
    ApiOperation({
      operationId: 'checkHeartbeat',
      summary: 'Check every dependency',
      description:
        'Queries each of them without writing anything, and responds within a few seconds even if one hangs.',
    }),
    operationResponse(200, 'Every dependency works.', { type: HeartbeatDto, examples: up }),
    operationResponse(503, 'At least one does not work (errno 201).', { type: FailedHeartbeatDto, examples: down }),
    ...errorResponses('unexpected'),
    defaultResponse,
  ),
  lbheartbeat: applyDecorators(
    ApiOperation({
      operationId: 'checkInstance',
      summary: 'Check whether this instance accepts requests',
      description: 'For load balancers; queries no dependency.',
    }),
    operationResponse(200, 'The instance accepts requests.', {
      type: NothingDto,
      examples: { example: { summary: 'An empty object', value: {} } },
    }),
    ...commonErrors,
  ),
});
