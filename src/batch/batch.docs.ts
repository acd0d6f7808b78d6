import { ApiOperation } from '@nestjs/swagger';

/** The OpenAPI description of the batch. */
export const BatchDocs = { run: ApiOperation({ summary: 'Run several requests' }) };
