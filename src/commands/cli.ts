import './end-on-signal.js';
import { runCommandLine } from './command-line.js';
import { ofProcess } from './shell.js';

process.exitCode = await runCommandLine(process.argv.slice(2), ofProcess());
