import type { INestApplication } from '@nestjs/common';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { TokenVerifier } from '../../auth/tokens/token-verifier.js';
import type { Settings } from '../../config/settings.js';
import { DatabaseLifecycle } from '../../database/database.lifecycle.js';
import type { ApiError } from '../../protocol/api-error.js';
import type { ServiceStatus } from '../../http/service-status.js';
import { type LogOutput, standardOutput } from '../logging/log-output.js';
import { createLogger } from '../logging/logger.js';
import { refusedConnection } from '../logging/observed-request.js';
import { observeRequests, type RequestObserver } from '../logging/observe-requests.js';
import { requestLog } from '../logging/request-log.js';
import { TombstonePurge } from '../../purge/tombstone-purge.js';
import { SharedRedis } from '../../redis/shared-redis.js';
import { HeldPolls } from '../../polling/held-polls.js';
import type { Metrics } from './metrics.js';
import { observeProviderCalls } from './provider-calls.js';
import { measureDatabaseClock, measureService } from './service-metrics.js';

/** The log, and metrics (if `METRICS_PORT` is set), of a service process. */
export class Observation {
  readonly logger: Logger;
  private readonly observers: readonly RequestObserver[];

  private constructor(
    private readonly settings: Settings,
    readonly output: LogOutput,
    readonly metrics?: Metrics,
  ) {
    this.logger = createLogger(settings.logLevel, this.output);
    const log = this.logger.isLevelEnabled('error') ? [requestLog(this.logger)] : [];
    this.observers = [...log, ...(metrics ? [metrics.observeRequest] : [])];
  }

  /** Loads the metrics library only with `METRICS_PORT`. */
  static async begin(settings: Settings): Promise<Observation> {
    const output = await standardOutput();
    if (settings.metricsPort === undefined) return new Observation(settings, output);
    const { Metrics } = await import('./metrics.js');
    return new Observation(settings, output, new Metrics());
  }

  /** The first middleware: ids, log lines and metrics of requests. */
  middleware(): RequestHandler {
    return observeRequests(this.observers);
  }

  /** Records a request that was refused on its connection because Node could not parse it. */
  readonly noteRefusal = (id: string, error: ApiError): void => {
    for (const observe of this.observers) observe(refusedConnection(id, error));
  };

  /** Starts observing the parts of the service; call it before the database is opened. */
  watch(nest: INestApplication, status: ServiceStatus): void {
    if (!this.metrics) return;
    const database = nest.get(DatabaseLifecycle);
    const [tokens, purge, polls] = [nest.get(TokenVerifier), nest.get(TombstonePurge), nest.get(HeldPolls)];
    measureService(this.metrics, { status, database, tokens, purge, polls, redis: nest.get(SharedRedis) });
    measureDatabaseClock(this.metrics, database, this.settings.databaseUrl.startsWith('mysql:'));
    observeProviderCalls(this.metrics);
  }
}
