import 'reflect-metadata';
import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express } from 'express';
import { AppModule } from './app.module.js';
import type { Clock } from './config/config.module.js';
import { SettingError, type Settings } from './config/settings.js';
import { DatabaseLifecycle } from './database/database.lifecycle.js';
import { OpenApiDescription } from './docs/open-api-description.js';
import { createHttpServer } from './http/http-server.js';
import { JsonAdapter } from './http/json.adapter.js';
import { createMessages } from './http/messages.js';
import { refuseOverload } from './http/overload.middleware.js';
import { Pipeline } from './http/pipeline.js';
import { ServiceStatus } from './http/service-status.js';
import { unmatched } from './http/unmatched.js';
import { requireWellFormed } from './http/well-formed.middleware.js';
import { NestLogger } from './logging/logger.js';
import type { Metrics } from './metrics/metrics.js';
import { Observation } from './metrics/observation.js';
import type { Tracing } from './tracing/tracing.js';

/** The service, ready to listen. */
export interface App {
  nest: NestExpressApplication;
  /** Not listening yet. */
  server: Server;
  status: ServiceStatus;
  database: DatabaseLifecycle;
  /** Only where `METRICS_PORT` is set. */
  metrics?: Metrics;
}

export interface AppOptions {
  /** The present time in milliseconds; tests bring their own. */
  clock?: Clock;
  /** Called when it turns out after the start that the service can not be served with these settings. */
  onRefusal?: (error: SettingError) => void;
  /** Where requests are traced. */
  tracing?: Tracing;
}

/**
 * Builds the service for the given settings and opens its database. Rejects with `SettingError` when the settings or the
 * state of the database forbid serving; a database server that is away does not.
 */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<App> {
  const clock = options.clock ?? Date.now;
  const status = new ServiceStatus(settings, clock);
  const router = createExpress(settings);
  const observation = new Observation(settings, options.tracing);
  const middlewares = [...observation.middlewares(), refuseOverload(status.monitor), requireWellFormed];
  const pipeline = new Pipeline(router, createMessages(router, status), middlewares);
  const server = createHttpServer(pipeline, status, settings.maxBodyBytes);
  const nest = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(settings, clock, status),
    new JsonAdapter(router, pipeline, server, unmatched(router, settings)),
    { bodyParser: false, logger: new NestLogger(observation.logger), abortOnError: false },
  );
  nest.get(OpenApiDescription, { strict: false }).describe(nest);
  await nest.init();
  const database = nest.get(DatabaseLifecycle);
  observation.watch(nest, status);
  try {
    await database.start(options.onRefusal ?? (() => undefined));
  } catch (error) {
    await nest.close();
    throw error;
  }
  status.monitor.start({ database: () => database.usage(), connections: settings.databasePoolSize });
  return { nest, server, status, database, metrics: observation.metrics };
}

/** Paths are exact; Express adds no header and no validator of its own. */
function createExpress(settings: Settings): Express {
  const router = express();
  router.set('case sensitive routing', true).set('strict routing', true);
  router.set('etag', false).disable('x-powered-by');
  try {
    if (settings.trustProxy !== undefined) router.set('trust proxy', settings.trustProxy);
  } catch (error) {
    throw new SettingError(`TRUST_PROXY: ${(error as Error).message}`);
  }
  return router;
}
