import type { ParseArgsConfig } from 'node:util';
import type { Clock } from '../config/settings.module.js';
import type { Settings } from '../config/settings.js';
import type { Database } from '../database/database.js';

/** Exit codes: success, failure, wrong usage, or something needs attention. */
export const EXIT = { ok: 0, failed: 1, usage: 2, attention: 3 } as const;

/** The command was called wrongly; the message says how to call it. */
export class UsageError extends Error {}

/** The command cannot do what was requested; the message says what to do about it. */
export class CommandError extends Error {}

/** The input and environment of a command. */
export interface CommandContext {
  options: Readonly<Record<string, string | boolean | undefined>>;
  /** The arguments besides options. */
  operands: readonly string[];
  settings: Settings;
  clock: Clock;
  /** Environment variables that are not settings of the service. */
  environment: Readonly<Record<string, string | undefined>>;
  /** The open database; undefined for a command that opens it itself. */
  database: Database;
  /** Writes a line of the result; resolves when the output accepts more. */
  print: (line: string) => Promise<void>;
  /** Reports the progress of long work on stderr, every few seconds. */
  progress: (text: string) => void;
}

/** The words after the name of a command. */
export type Arguments = Pick<CommandContext, 'options' | 'operands'>;

/** A command of the operator. */
export interface Command {
  /** One or two words. */
  name: string;
  /** One line for the list of commands. */
  summary: string;
  /** What `--help` shows after the name: operands, options, exit codes. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** Whether it has arguments besides options; others are refused. */
  takesOperands?: boolean;
  /** Throws `UsageError` for a call that cannot be meant, before settings and database are looked at. */
  checkUsage?(given: Arguments): void;
  /** Whether `database` has to be open when it runs. */
  needsDatabase: boolean;
  /** Resolves with the exit code. */
  run(context: CommandContext): Promise<number>;
}
