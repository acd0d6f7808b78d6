import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadSettings } from './config/load-settings.js';
import { SettingError, type Settings } from './config/settings.js';

/** How long the end waits for whoever reads the log. */
const LOG_FLUSH_MS = 500;

try {
  const settings = loadSettings();
  if (settings.databaseMustHaveUsers || (settings.production && !settings.migrateOnStart)) {
    const { requireDatabaseFile } = await import('./database/expected.js');
    requireDatabaseFile(settings);
  }
  await start(settings);
} catch (error) {
  refuse(error);
}

/** Nothing else is loaded before the settings are known to be right: a wrong one is told at once. */
async function start(settings: Settings): Promise<void> {
  const [{ createApp }, { createMetricsServer }, { loadTracing }, { shutDown }] = await Promise.all([
    import('./app.factory.js'),
    import('./observability/metrics/metrics-server.js'),
    import('./observability/tracing/load-tracing.js'),
    import('./http/server/shutdown.js'),
  ]);
  const tracing = await loadTracing(process.env);
  const app = await createApp(settings, { onRefusal: refuse, tracing });
  if (app.metrics && settings.metricsPort !== undefined) {
    const metrics = createMetricsServer(app.metrics.registry);
    const base = await listen(metrics, 'METRICS_PORT', settings.host, settings.metricsPort);
    console.log(`metrics at ${base}/metrics`);
  }
  const base = await listen(app.server, 'PORT', settings.host, settings.port);
  let stopping: Promise<void> | undefined;
  // Those that follow the first change nothing: requests in flight are finished.
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      stopping ??= stop().finally(() => process.exit(0));
    });
  console.log(`listening on ${base}`);
  if (!settings.production) greet(base);

  async function stop(): Promise<void> {
    await shutDown(app);
    await tracing?.shutdown();
    await app.log.flush(LOG_FLUSH_MS);
  }
}

/** The base address. Rejects with `SettingError` when it cannot be listened on. */
async function listen(server: Server, setting: string, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isHost = error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND';
      reject(new SettingError(`${isHost ? 'HOST' : setting}: cannot listen on ${host}:${port} (${error.code})`));
    });
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  return `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
}

/** What a newcomer needs next. */
function greet(base: string): void {
  const article = `{"url":"https://example.com/","title":"Example","added_by":"laptop"}`;
  console.log(`documentation: ${base}/docs`);
  console.log(`try it: curl -u me:secret ${base}/v2/articles --json '${article}'`);
}

/** One line that says what to change; anything else is a defect and shows where it comes from. */
function refuse(error: unknown): never {
  console.error(error instanceof SettingError ? error.message : error);
  process.exit(1);
}
