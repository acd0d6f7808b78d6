import { ApiOperation } from '@nestjs/swagger';

/** The OpenAPI description of the root endpoints. */
export const RootDocs = {
  redirect: ApiOperation({ summary: 'Redirect to the latest version' }),
  root: ApiOperation({ summary: 'Describe the service' }),
  version: ApiOperation({ summary: 'Say which build runs' }),
};
