import { applyDecorators } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { DocsController } from './docs.controller.js';
import { describeController } from './vocabulary/describe-controller.js';
import { headersOf } from './vocabulary/response-headers.js';
import { commonErrors, errorResponses } from './vocabulary/responses.js';

describeController(DocsController, ApiTags('utility'), {
  document: applyDecorators(
    ApiOperation({
      operationId: 'getOpenApiDocument',
      summary: 'Get this document',
      description: 'The OpenAPI 3.1 document of this API; `/docs` shows it in a browser.',
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
    ...errorResponses('tooManyRequests'),
    ...commonErrors,
  ),
  page: ApiExcludeEndpoint(),
  initializer: ApiExcludeEndpoint(),
  asset: ApiExcludeEndpoint(),
});
