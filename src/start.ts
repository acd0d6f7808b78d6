import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from './app.factory.js';
import { baseUrl } from './config/formats.js';
import { loadSettings } from './config/load-settings.js';
import { SettingError, type Settings } from './config/settings.js';

/** How long a load balancer has to notice that this instance is leaving before it stops accepting connections. */
const NOTICE_MS = 1_500;
/** How long requests in flight may then take. */
const GRACE_MS = 5_500;
const SWEEP_MS = 100;

/** Starts the service, and returns how to stop it. Ends the process with status 1 when the settings rule out serving. */
export async function start(traced: boolean): Promise<() => Promise<void>> {
  try {
    for (const argument of process.argv.slice(2)) {
      if (argument !== '--lan')
        throw new SettingError(
          `${argument}: unknown argument; --lan listens on the local network, and everything else is a setting`,
        );
      process.env.HOST = '0.0.0.0';
    }
    const settings = loadSettings();
    if (settings.databaseMustHaveUsers || (settings.production && !settings.migrateOnStart)) {
      const { requireDatabaseFile } = await import('./database/why-not-open.js');
      requireDatabaseFile(settings);
    }
    return await serve(settings, traced);
  } catch (error) {
    refuse(error);
  }
}

/** Nothing else is loaded before the settings are validated, so that an invalid one is reported immediately. */
async function serve(settings: Settings, traced: boolean) {
  // What is traced has to be loaded afterwards.
  const endTracing = traced ? (await import('./operations/open-telemetry.js')).startTracing() : undefined;
  // Stack traces name lines of src. The source maps of packages take a tenth of a second to read: they are loaded before.
  await Promise.all([import('@nestjs/typeorm'), import('@nestjs/platform-express')]);
  process.setSourceMapsEnabled(true);
  const [{ createApp }, { greeting }] = await Promise.all([import('./app.factory.js'), import('./greeting.js')]);
  const app = await createApp(settings, { onRefusal: refuse });
  if (app.metrics) {
    const port = await listen(app.metrics.server, 'METRICS_PORT', settings.host, settings.metricsPort!);
    console.log(`metrics at ${baseUrl(settings.host, port)}/metrics`);
  }
  const port = await listen(app.server, 'PORT', settings.host, settings.port);
  console.log(`listening on ${baseUrl(settings.host, port)}`);
  if (!settings.production) for (const line of greeting({ ...settings, port })) console.log(line);
  return async () => {
    await shutDown(app);
    await endTracing?.();
    await app.log.flush();
  };
}

/**
 * Takes the instance out of service within ten seconds: `/__lbheartbeat__` responds 503 and responses close their
 * connections; then requests in flight are completed, and those a client never finishes are cut off.
 */
export async function shutDown({ nest, server, status }: App): Promise<void> {
  status.draining = true;
  const connections = await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count ?? 0)));
  if (connections > 0) await sleep(NOTICE_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await Promise.race([closed, sleep(GRACE_MS + SWEEP_MS)]);
  clearInterval(sweep);
  clearTimeout(cut);
  await Promise.race([nest.close(), sleep(1_000)]);
}

const REMEDIES: Readonly<Record<string, string>> = {
  EADDRINUSE: ': another process is listening there; choose another port',
  EACCES: ': choose a port above 1023, as lower ones are reserved for root',
  EADDRNOTAVAIL: ': this machine does not have that IP address; name one that it has',
  ENOTFOUND: ': the host name is unknown; name an IP address of this machine',
};

/** Which setting to change, and to what. */
export function cannotListen(setting: string, host: string, port: number, error: NodeJS.ErrnoException): SettingError {
  const { code = '' } = error;
  const name = ['EADDRINUSE', 'EACCES'].includes(code) ? setting : 'HOST';
  return new SettingError(`${name}: cannot listen on ${host}:${port} (${code})${REMEDIES[code] ?? ''}`);
}

/** Returns the port. Rejects with `SettingError` when the service cannot listen there. */
export async function listen(server: Server, setting: string, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(setting, host, port, error)));
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Prints one line that says which setting to change; any other error is a bug and is printed with its stack. */
function refuse(error: unknown): never {
  console.error(error instanceof SettingError ? error.message : error);
  process.exit(1);
}
