import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** One request of a batch, or the defaults for all of them. */
@ApiSchema({
  name: 'BatchRequest',
  description: 'The request takes precedence over `defaults`; `body` and `headers` are merged key by key.',
})
export class BatchRequestDto {
  @ApiProperty({
    type: 'string',
    required: false,
    enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    description: 'Case-insensitive. Required here or in `defaults`.',
  })
  method?: string;

  @ApiProperty({
    type: 'string',
    required: false,
    pattern: '^/',
    description: 'Path and query, with or without `/v2`. Required here or in `defaults`.',
    example: '/articles?unread=true',
  })
  path?: string;

  @ApiProperty({ type: 'object', selfRequired: false, additionalProperties: true, description: 'The JSON body.' })
  body?: Record<string, unknown>;

  @ApiProperty({
    type: 'object',
    selfRequired: false,
    additionalProperties: { type: 'string' },
    description:
      'Added to the headers of the batch. `Authorization`, and the headers that say where a request comes from (`Forwarded`, ' +
      '`X-Forwarded-*`, `X-Real-IP`, `X-Request-Id`), are always those of the batch; `Prefer` is ignored.',
  })
  headers?: Record<string, string>;
}

/** The body of a batch. */
@ApiSchema({ name: 'Batch' })
export class BatchDto {
  @ApiProperty({ type: BatchRequestDto, required: false, description: 'Defaults for all requests.' })
  defaults?: BatchRequestDto;

  @ApiProperty({ type: [BatchRequestDto], description: 'Run in this order, one at a time.' })
  requests: BatchRequestDto[];
}

/** The response to one request of a batch. */
@ApiSchema({ name: 'BatchResponse', description: 'The response that the request would have received on its own.' })
export class BatchResponseDto {
  @ApiProperty({ type: 'integer', description: 'The HTTP status.' })
  status: number;

  @ApiProperty({ type: 'string', description: 'As sent in the request.' })
  path: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    description: 'The response headers.',
  })
  headers: Record<string, string | string[]>;

  @ApiProperty({ type: 'object', additionalProperties: true, description: '`{}` for HEAD and 304.' })
  body: Record<string, unknown>;
}

/** The response to a batch. */
@ApiSchema({ name: 'BatchResponses' })
export class BatchResponsesDto {
  @ApiProperty({ type: [BatchResponseDto], description: 'In the order of the requests.' })
  responses: BatchResponseDto[];
}
