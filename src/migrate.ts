import './commands/end-on-signal.js';
import { runCommandLine } from './commands/command-line.js';
import { ofProcess } from './commands/shell.js';

process.exitCode = await runCommandLine(['migrate', ...process.argv.slice(2)], ofProcess());
