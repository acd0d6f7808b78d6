import { ApiOperation } from '@nestjs/swagger';

/** The OpenAPI description of the health endpoints. */
export const HealthDocs = {
  heartbeat: ApiOperation({ summary: 'Check every dependency' }),
  lbheartbeat: ApiOperation({ summary: 'Say whether this instance wants requests' }),
};
