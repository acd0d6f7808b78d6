import type { Stop } from './start.js';

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

const { start } = await import('./start.js');
stop = await start();
