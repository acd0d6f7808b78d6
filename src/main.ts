import { existsSync } from 'node:fs';
import type { Stop } from './start.js';

/** Made from `start.js` and what it loads by `rolldown.config.mjs`. */
const BUNDLE = new URL('../bundle/start.js', import.meta.url);

/** During the start there is nothing to finish. */
let stop: Stop = () => Promise.resolve();
let stopping: Promise<void> | undefined;

// Before anything else is loaded, because the first process of a container ignores signals that it has no handler for.
// Further signals change nothing: requests in flight are completed.
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    stopping ??= stop().finally(() => process.exit(0));
  });

// Output that nobody can take, such as on a full disk, is lost; without a listener it would end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const traced = isTraced(process.env);
// The bundle halves the time to start. Packages can be traced only where they are loaded one by one.
const module = !traced && existsSync(BUNDLE) ? BUNDLE.href : './start.js';
const { start } = (await import(module)) as typeof import('./start.js');
stop = await start(traced);

/** Whether the standard OpenTelemetry variables name a collector. */
function isTraced(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = environment;
  const isOff = environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || environment.OTEL_TRACES_EXPORTER === 'none';
  return !isOff && Boolean(all || traces);
}
