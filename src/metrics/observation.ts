import type { INestApplication } from '@nestjs/common';
import type { RequestHandler } from 'express';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { TokenVerifier } from '../auth/token-verifier.js';
import type { Settings } from '../config/settings.js';
import { DatabaseLifecycle } from '../database/database.lifecycle.js';
import type { ServiceStatus } from '../http/service-status.js';
import { createLogger, standardOutput } from '../logging/logger.js';
import { observeRequests } from '../logging/observe-requests.js';
import { requestLog } from '../logging/request-log.js';
import { TombstonePurge } from '../purge/tombstone-purge.js';
import { REDIS } from '../redis/redis.module.js';
import type { Tracing } from '../tracing/tracing.js';
import { Metrics } from './metrics.js';
import { observeProviderCalls } from './provider-calls.js';
import { measureService } from './service-metrics.js';

/** What a service process tells its operator: the log, metrics where `METRICS_PORT` is set, traces where they are wanted. */
export class Observation {
  readonly logger: Logger;
  private readonly output = standardOutput();
  readonly metrics?: Metrics;

  constructor(
    { logLevel, metricsPort }: Settings,
    private readonly tracing?: Tracing,
  ) {
    this.logger = createLogger(logLevel, this.output);
    if (metricsPort !== undefined) this.metrics = new Metrics();
  }

  /** What comes before everything else: ids, log lines, metrics and traces of requests. */
  middlewares(): RequestHandler[] {
    const log = this.logger.isLevelEnabled('error') ? [requestLog(this.logger, this.output)] : [];
    const measure = this.metrics ? [this.metrics.observeRequest] : [];
    const observe = observeRequests([...log, ...measure]);
    return this.tracing ? [observe, this.tracing.middleware] : [observe];
  }

  /** Looks at the parts of the service from now on; to be called before the database is opened. */
  watch(nest: INestApplication, status: ServiceStatus): void {
    const database = nest.get(DatabaseLifecycle);
    if (this.tracing) database.observe(this.tracing.observeStatement);
    if (!this.metrics) return;
    const [tokens, purge] = [nest.get(TokenVerifier), nest.get(TombstonePurge)];
    measureService(this.metrics, { status, database, tokens, purge, redis: nest.get<Redis | undefined>(REDIS) });
    observeProviderCalls(this.metrics);
  }
}
