import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { describeController } from '../docs/vocabulary/describe-controller.js';
import { authenticatedErrors, type Examples, operationResponse } from '../docs/vocabulary/responses.js';
import { bearerToken } from '../docs/vocabulary/security.js';
import { BatchController } from './batch.controller.js';
import { BatchDto, BatchResponsesDto } from './batch-schemas.docs.js';

const requests: Examples = {
  create: {
    summary: 'Create two articles',
    value: {
      defaults: { method: 'POST', path: '/articles', body: { added_by: 'laptop' } },
      requests: [
        { body: { url: 'https://example.com/tea', title: 'How to make tea' } },
        { body: { url: 'https://example.com/coffee', title: 'How to make coffee' } },
      ],
    },
  },
  mixed: {
    summary: 'Different requests',
    value: {
      requests: [
        { method: 'PATCH', path: '/articles/6c5f1f0e-8a5b-4a3e-9d39-0b6f6a3c2a11', body: { archived: true } },
        { method: 'GET', path: '/articles?_since=1760000000123', headers: { 'If-Modified-Since': '1760000000123' } },
      ],
    },
  },
};

const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };
const responses: Examples = {
  mixed: {
    summary: 'One failed, one not modified',
    value: {
      responses: [
        {
          status: 404,
          path: '/articles/6c5f1f0e-8a5b-4a3e-9d39-0b6f6a3c2a11',
          headers,
          body: { code: 404, errno: 111, error: 'Not Found', message: 'id: no such article' },
        },
        {
          status: 304,
          path: '/articles?_since=1760000000123',
          headers: { 'Last-Modified': '1760000000123', 'Cache-Control': 'no-store' },
          body: {},
        },
      ],
    },
  },
};

describeController(BatchController, ApiTags('batch'), {
  run: applyDecorators(
    ApiOperation({
      operationId: 'runBatch',
      summary: 'Run several requests',
      description:
        'Runs the requests one after the other, each as if it had been sent on its own: one that fails neither stops nor ' +
        'undoes the others. The response is 200 unless the batch itself is malformed; then nothing runs. It accepts ' +
        'bearer tokens only: Basic credentials get 401, errno 104.',
    }),
    ...bearerToken(),
    ApiBody({ type: BatchDto, examples: requests }),
    operationResponse(200, 'One response for each request.', { type: BatchResponsesDto, examples: responses }),
    ...authenticatedErrors('malformedJson', 'missingParameter', 'invalidPostedData', 'lengthRequired', 'bodyTooLarge'),
  ),
});
