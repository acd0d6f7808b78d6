import { advanceClocksCommand } from './advance-clocks.command.js';
import { backupCommand } from './backup.command.js';
import type { Command } from './command.js';
import { doctorCommand } from './doctor.command.js';
import { migrateCommand } from './migrate.command.js';
import { purgeCommand } from './purge.command.js';
import { restoreCommand } from './restore.command.js';
import { settingsCommand } from './settings.command.js';
import { tokenCreateCommand } from './token-create.command.js';
import { tokenListCommand } from './token-list.command.js';
import { tokenRevokeCommand } from './token-revoke.command.js';
import { userEraseCommand } from './user-erase.command.js';
import { userExportCommand } from './user-export.command.js';
import { userImportCommand } from './user-import.command.js';
import { userLinkCommand } from './user-link.command.js';
import { userListCommand } from './user-list.command.js';

/** All commands, in listing order. */
export const COMMANDS: readonly Command[] = [
  settingsCommand,
  migrateCommand,
  purgeCommand,
  doctorCommand,
  backupCommand,
  restoreCommand,
  advanceClocksCommand,
  tokenCreateCommand,
  tokenListCommand,
  tokenRevokeCommand,
  userListCommand,
  userExportCommand,
  userImportCommand,
  userEraseCommand,
  userLinkCommand,
];
