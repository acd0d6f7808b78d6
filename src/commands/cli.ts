import { constants } from 'node:os';
import { bundled } from '../bundled.js';

// Before anything else is loaded, because the first process of a container ignores signals that it has no handler for.
if (process.pid === 1)
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]));

const module = bundled('commands') ?? './command-line.js';
const { runCommandLine } = (await import(module)) as typeof import('./command-line.js');
process.exitCode = await runCommandLine(process.argv.slice(2));
