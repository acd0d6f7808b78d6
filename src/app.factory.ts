import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { AppModule } from './app.module.js';
import type { Now } from './config/now.js';
import { warningsAbout } from './config/load-settings.js';
import type { SettingError, Settings } from './config/settings.js';
import { Database } from './database/database.js';
import { refuseOverload } from './http/load-monitor.js';
import { ServiceStatus } from './http/service-status.js';
import { requireWellFormed } from './http/request/request-url.js';
import { JsonAdapter } from './http/server/json.adapter.js';
import { createLogger, nestLogger, standardOutput } from './operations/logging/log.js';
import { logRequest, type Observed, observeRequests, refusedConnection } from './operations/logging/request-log.js';

/** The service, whose server does not listen yet. */
export type App = Awaited<ReturnType<typeof createApp>>;

interface AppOptions {
  now?: Now;
  /** Called when it turns out after the start that the service cannot run with these settings. */
  onRefusal?: (error: SettingError) => void;
  /** Adds middleware or the like before the routes. */
  extend?: (app: NestExpressApplication) => void;
}

/** Builds the service and opens its database. Rejects with `SettingError` if that can never work, not if it is down. */
export async function createApp(settings: Settings, { now = Date.now, onRefusal, extend }: AppOptions = {}) {
  const log = await standardOutput();
  const logger = createLogger(settings.logLevel, log);
  // The library is loaded only where metrics are wanted.
  const metrics =
    settings.metricsPort === undefined ? undefined : new (await import('./operations/metrics.js')).Metrics();
  const observe = (request: Observed): void => {
    logRequest(logger, log, request);
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
  extend?.(nest);
  nest.use(requireWellFormed, refuseOverload(status.monitor));
  const database = nest.get(Database);
  database.onRefusal = (error) => void log.flush().then(() => onRefusal?.(error));
  metrics?.measureService(nest);
  try {
    await nest.init();
  } catch (error) {
    await nest.close();
    throw error;
  }
  return { nest, server: nest.getHttpServer(), status, database, log, metrics };
}
