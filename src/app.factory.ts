import 'reflect-metadata';
import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Now } from './config/now.js';
import { warningsAbout } from './config/load-settings.js';
import type { SettingError, Settings } from './config/settings.js';
import { Database } from './database/database.js';
import { refuseOverload, ServiceStatus } from './http/service-status.js';
import { requireWellFormed } from './http/request/request-url.js';
import { JsonAdapter } from './http/server/json.adapter.js';
import { createLogger, type LogOutput, nestLogger, standardOutput } from './operations/logging/log.js';
import { type Observed, observeRequests, refusedConnection, requestLog } from './operations/logging/request-log.js';
import type { Metrics } from './operations/metrics.js';

/** The service, whose server does not listen yet. */
export interface App {
  nest: NestExpressApplication;
  server: Server;
  status: ServiceStatus;
  database: Database;
  log: LogOutput;
  /** Only if `METRICS_PORT` is set. */
  metrics?: Metrics;
}

export interface AppOptions {
  /** The current time in milliseconds; tests pass their own. */
  now?: Now;
  /** Called when it turns out after the start that the service cannot run with these settings. */
  onRefusal?: (error: SettingError) => void;
  /** Adds middleware or the like before the routes. */
  extend?: (app: NestExpressApplication) => void;
}

/** Builds the service and opens its database. Rejects with `SettingError` if that can never serve; being away is no reason. */
export async function createApp(settings: Settings, options: AppOptions = {}): Promise<App> {
  const now = options.now ?? Date.now;
  const log = await standardOutput();
  const logger = createLogger(settings.logLevel, log);
  // The library is loaded only where metrics are wanted.
  const metrics =
    settings.metricsPort === undefined ? undefined : new (await import('./operations/metrics.js')).Metrics();
  const logRequest = requestLog(logger, log);
  const observe = (request: Observed): void => {
    logRequest(request);
    metrics?.observeRequest(request);
  };
  const adapter = new JsonAdapter(settings, now, (id, error) => observe(refusedConnection(id, error)));
  const nest = await NestFactory.create<NestExpressApplication>(AppModule.forRoot(settings, now), adapter, {
    bodyParser: false,
    logger: nestLogger(logger),
    abortOnError: false,
  });
  const status = nest.get(ServiceStatus);
  for (const warning of warningsAbout(settings, now())) logger.warn({ context: 'Settings' }, warning);
  nest.use(observeRequests(observe));
  options.extend?.(nest);
  nest.use(requireWellFormed, refuseOverload(status.monitor));
  const database = nest.get(Database);
  database.onRefusal = (error) => void log.flush().then(() => options.onRefusal?.(error));
  metrics?.measureService(nest);
  try {
    await nest.init();
  } catch (error) {
    await nest.close();
    throw error;
  }
  const server = nest.getHttpServer();
  return { nest, server, status, database, log, metrics };
}
