import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type App, createApp } from './app.factory.js';
import { loadSettings } from './config/load-settings.js';
import { SettingError, type Settings } from './config/settings.js';
import { createMetricsServer } from './metrics/metrics-server.js';
import { shutDown } from './shutdown.js';
import { loadTracing } from './tracing/load-tracing.js';
import type { Tracing } from './tracing/tracing.js';

try {
  await start(loadSettings());
} catch (error) {
  refuse(error);
}

async function start(settings: Settings): Promise<void> {
  const tracing = await loadTracing(process.env);
  const app = await createApp(settings, { onRefusal: refuse, tracing });
  if (app.metrics && settings.metricsPort !== undefined) {
    const metrics = createMetricsServer(app.metrics.registry);
    const base = await listen(metrics, 'METRICS_PORT', settings.host, settings.metricsPort);
    console.log(`metrics at ${base}/metrics`);
  }
  const base = await listen(app.server, 'PORT', settings.host, settings.port);
  console.log(`listening on ${base}`);
  if (!settings.production) greet(base);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void stop(app, tracing).finally(() => process.exit(0)));
}

async function stop(app: App, tracing: Tracing | undefined): Promise<void> {
  await shutDown(app);
  await tracing?.shutdown();
}

/** The base address. Rejects with `SettingError` when it can not be listened on. */
async function listen(server: Server, setting: string, host: string, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isHost = error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND';
      reject(new SettingError(`${isHost ? 'HOST' : setting}: can not listen on ${host}:${port} (${error.code})`));
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
