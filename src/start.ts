import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadSettings } from './config/load-settings.js';
import { SettingError, type Settings } from './config/settings.js';

/** How long shutdown waits for the log to be written. */
const LOG_FLUSH_MS = 500;

/** Stops a running service: finishes what is in flight, within ten seconds. */
export type Stop = () => Promise<void>;

/**
 * Starts the service with the settings of the environment. Ends the process with status 1 when they rule out serving,
 * now or once the database is reached.
 */
export async function start(): Promise<Stop> {
  try {
    const settings = loadSettings();
    if (settings.databaseMustHaveUsers || (settings.production && !settings.migrateOnStart)) {
      const { requireDatabaseFile } = await import('./database/expected.js');
      requireDatabaseFile(settings);
    }
    return await serve(settings);
  } catch (error) {
    refuse(error);
  }
}

/** Nothing else is loaded before the settings are validated, so that an invalid one is reported immediately. */
async function serve(settings: Settings): Promise<Stop> {
  const { loadTracing } = await import('./operations/tracing/load-tracing.js');
  const endTracing = await loadTracing(process.env);
  // Stack traces name lines of src. The source maps of packages take a tenth of a second to read: they are loaded before.
  await Promise.all([import('@nestjs/typeorm'), import('@nestjs/platform-express')]);
  process.setSourceMapsEnabled(true);
  const [{ createApp }, { createMetricsServer }, { shutDown }] = await Promise.all([
    import('./app.factory.js'),
    import('./operations/metrics/metrics-server.js'),
    import('./http/server/shutdown.js'),
  ]);
  const app = await createApp(settings, { onRefusal: refuse });
  if (app.metrics && settings.metricsPort !== undefined) {
    const metrics = createMetricsServer(app.metrics.registry);
    const base = await listen(metrics, 'METRICS_PORT', settings.host, settings.metricsPort);
    console.log(`metrics at ${base}/metrics`);
  }
  const base = await listen(app.server, 'PORT', settings.host, settings.port);
  console.log(`listening on ${base}`);
  if (!settings.production) greet(base);
  return async () => {
    await shutDown(app);
    await endTracing?.();
    await app.log.flush(LOG_FLUSH_MS);
  };
}

/** What is wrong with a port; for everything else the host cannot be listened on. */
const FAULTS_OF_PORTS: readonly (string | undefined)[] = ['EADDRINUSE', 'EACCES'];

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: ': another process listens there, choose another port',
  EACCES: ': choose a port above 1023, as lower ones are for root',
};

/** Returns the base URL. Rejects with `SettingError` when the service cannot listen there. */
async function listen(server: Server, setting: string, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => {
      const name = FAULTS_OF_PORTS.includes(code) ? setting : 'HOST';
      reject(new SettingError(`${name}: cannot listen on ${host}:${port} (${code})${REMEDIES[code ?? ''] ?? ''}`));
    });
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}

/** Prints what a newcomer needs next. */
function greet(base: string): void {
  const article = `{"url":"https://example.com/","title":"Example","added_by":"laptop"}`;
  console.log(`documentation: ${base}/docs`);
  console.log(`try it: curl -u me:secret ${base}/v2/articles --json '${article}'`);
}

/** Prints one line that says which setting to change; any other error is a bug and is printed with its stack. */
function refuse(error: unknown): never {
  console.error(error instanceof SettingError ? error.message : error);
  process.exit(1);
}
