import './commands/end-on-signal.js';
import { loadSettings } from './config/load-settings.js';
import { runCommandLine } from './commands/command-line.js';
import { migrateCommand } from './commands/migrate.command.js';

process.exitCode = await runCommandLine(['migrate', ...process.argv.slice(2)], {
  commands: [migrateCommand],
  loadSettings,
  clock: Date.now,
  environment: {},
});
