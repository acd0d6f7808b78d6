import { statSync } from 'node:fs';

/** Made by `scripts/bundle.mjs` from `dist/src/start.js` and what it loads. */
const BUNDLE = new URL('../bundle/start.cjs', import.meta.url);
const COMPILED = new URL('../.tsbuildinfo', import.meta.url);

/** During the start there is nothing to finish. */
let stop = () => Promise.resolve();
let stopping: Promise<void> | undefined;

// Before anything else is loaded, because the first process of a container ignores signals that it has no handler for.
// Further signals change nothing: requests in flight are completed.
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.on(signal, () => {
    if (stopping) return;
    for (const other of ['SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const) process.on(other, () => undefined);
    stopping = stop().finally(() => process.exit(0));
  });

// Output that nobody can take, such as on a full disk, is lost; without a listener it would end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

// The standard variables of OpenTelemetry.
const { env } = process;
const hasCollector = Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
const isOff = env.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || env.OTEL_TRACES_EXPORTER === 'none';
const traced = hasCollector && !isOff;
// The bundle halves the time to start. Packages can be traced only where they are loaded one by one.
const module = !traced && hasBundle() ? BUNDLE.href : './start.js';
const { start } = (await import(module)) as typeof import('./start.js');
stop = await start(traced);

/** Whether there is a bundle, and the compiler has not run alone since it was made. */
function hasBundle(): boolean {
  const [bundle, compiled] = [BUNDLE, COMPILED].map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs);
  return bundle !== undefined && bundle >= (compiled ?? 0);
}
