import type { Clock } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';

/** Exit codes. */
export const EXIT = { ok: 0, failed: 1, usage: 2, attention: 3 } as const;

/** What they mean, for the help of every command. */
export const EXIT_CODES = 'Exit codes: 0 done, 1 failed, 2 wrong usage, 3 something listed needs attention';

/** The options do not fit together, or do not fit the settings; the message says how to call the command. */
export class UsageError extends Error {}

/** The command cannot do what was requested; the message says what to do about it. */
export class CommandError extends Error {}

/** What a command works with besides its options and operands. */
export interface CommandContext {
  settings: Settings;
  clock: Clock;
  /** Environment variables that are not settings of the service. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Writes a line of the result; resolves when the output accepts more. */
  print: (line: string) => Promise<void>;
  /**
   * Notes in the audit log that the command is about to read or change data of `whose`, before it does: a command that fails
   * or is killed is noted, too.
   */
  audit: (what: string, whose: string, account?: Buffer) => void;
  /** Reports the progress of long work on stderr, every few seconds. */
  progress: (text: string) => void;
}

/** The same with the open database. */
export interface DatabaseContext extends CommandContext {
  database: Database;
}
