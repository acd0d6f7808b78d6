import type { ParseArgsConfig } from 'node:util';
import type { Clock } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';

/** What the shell is told: all is well, it failed, it was called wrongly, or there is something that needs attention. */
export const EXIT = { ok: 0, failed: 1, usage: 2, attention: 3 } as const;

/** The command was called in a way that makes no sense; the message says what to write instead. */
export class UsageError extends Error {}

/** The command cannot do what it was asked; the message says what to do about it. */
export class CommandError extends Error {}

/** What a command works with. */
export interface CommandContext {
  options: Readonly<Record<string, string | boolean | undefined>>;
  /** What was given besides options. */
  operands: readonly string[];
  settings: Settings;
  clock: Clock;
  /** Environment variables that are no settings of the service. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The open database; undefined for a command that opens it itself. */
  database: Database;
  /** Writes a line of the result; resolves when there is room for more. */
  print: (line: string) => Promise<void>;
  /** Says on the error output how far long work is, every few seconds. */
  progress: (text: string) => void;
}

/** A command of the operator. */
export interface Command {
  /** One or two words. */
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** What `--help` shows after the name: operands, options, exit codes. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** Whether `database` is to be open when it runs. */
  needsDatabase: boolean;
  /** Resolves with the exit code. */
  run(context: CommandContext): Promise<number>;
}
