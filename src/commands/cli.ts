import './end-on-signal.js';
import { loadSettings } from '../config/load-settings.js';
import { runCommandLine } from './command-line.js';
import { COMMANDS } from './commands.js';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  commands: COMMANDS,
  loadSettings,
  clock: Date.now,
  environment: process.env,
});
