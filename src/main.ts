import { bundled } from './bundled.js';

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
// Packages can be traced only where they are loaded one by one.
const module = (!traced && bundled('start')) || './start.js';
const { start } = (await import(module)) as typeof import('./start.js');
stop = await start(traced);
