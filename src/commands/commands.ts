import { advanceClocksCommand } from './advance-clocks.command.js';
import type { Command } from './command.js';
import { doctorCommand } from './doctor.command.js';
import { migrateCommand } from './migrate.command.js';
import { purgeCommand } from './purge.command.js';
import { userEraseCommand } from './user-erase.command.js';
import { userExportCommand } from './user-export.command.js';
import { userImportCommand } from './user-import.command.js';
import { userListCommand } from './user-list.command.js';

/** All commands, in the order in which they are listed. */
export const COMMANDS: readonly Command[] = [
  migrateCommand,
  purgeCommand,
  doctorCommand,
  advanceClocksCommand,
  userListCommand,
  userExportCommand,
  userImportCommand,
  userEraseCommand,
];
