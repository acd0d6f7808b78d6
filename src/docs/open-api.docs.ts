import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { refuses, refusesAnything } from './vocabulary/answers.js';
import { headersOf } from './vocabulary/response-headers.js';

/** The OpenAPI description of the endpoint that gives the OpenAPI description. */
export const OpenApiDocs = {
  document: applyDecorators(
    ApiTags('utility'),
    ApiOperation({
      operationId: 'getOpenApiDocument',
      summary: 'Get this document',
      description: 'The description of the interface in OpenAPI 3.1; `/docs` shows it to people.',
    }),
    ApiResponse({
      status: 200,
      description: 'The document.',
      schema: {
        type: 'object',
        properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
        required: ['openapi', 'info', 'paths'],
      },
      headers: headersOf(200),
    }),
    ...refuses('tooManyRequests'),
    ...refusesAnything,
  ),
};
