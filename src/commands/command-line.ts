import { parseArgs } from 'node:util';
import type { Settings } from '../config/settings.js';
import { SettingError } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { type Command, CommandError, type CommandContext, EXIT, UsageError } from './command.js';
import { withDatabase } from './open-database.js';
import { createProgress, flushOutput, printLine, ReaderGone } from './output.js';

/** What a command line needs from its process. */
export interface CommandLine {
  commands: readonly Command[];
  loadSettings: () => Settings;
  clock: () => number;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Runs the command named by `words` and resolves with the exit code; writes errors to stderr. */
export async function runCommandLine(words: readonly string[], line: CommandLine): Promise<number> {
  const command = line.commands.find(({ name }) => `${words.join(' ')} `.startsWith(`${name} `));
  if (!command) return listCommands(words, line.commands);
  try {
    const code = await runCommand(command, words.slice(command.name.split(' ').length), line);
    await flushOutput();
    return code;
  } catch (error) {
    if (error instanceof ReaderGone) return EXIT.ok;
    console.error(explain(error, command));
    return error instanceof UsageError ? EXIT.usage : EXIT.failed;
  }
}

function listCommands(words: readonly string[], all: readonly Command[]): number {
  const [first = '', ...rest] = words;
  const isHelp = words.length === 0 || ['--help', 'help', '-h'].includes(words.at(-1)!);
  const ofGroup = all.filter(({ name }) => rest.length > 0 && name.startsWith(`${first} `));
  const commands = isHelp && ofGroup.length > 0 ? ofGroup : all;
  if (!isHelp) console.error(`There is no command "${words.slice(0, 2).join(' ')}".\n`);
  const lines = commands.map(({ name, summary }) => `  ${name.padEnd(15)} ${summary}`);
  console.log(`Commands, each with --help:\n\n${lines.join('\n')}`);
  return isHelp ? EXIT.ok : EXIT.usage;
}

async function runCommand(command: Command, words: string[], line: CommandLine): Promise<number> {
  const { values, positionals } = parse(command, words);
  if (values.help) {
    console.log(`Usage: ${command.name} ${command.help}`);
    return EXIT.ok;
  }
  // If the argument were ignored, "advance-clocks 2027-01-31" would do something else.
  if (positionals.length > 0 && !command.takesOperands)
    throw new UsageError(`${positionals[0]}: not expected; ${command.name} takes only options.`);
  command.checkUsage?.({ options: values, operands: positionals });
  const settings = line.loadSettings();
  const { clock, environment } = line;
  const context = { options: values, operands: positionals, settings, clock, environment, print: printLine };
  return command.needsDatabase
    ? withDatabase(settings, (database) => command.run({ ...context, database, progress: createProgress() }))
    : command.run({ ...context, database: undefined as never, progress: createProgress() });
}

function parse(command: Command, words: string[]): { values: CommandContext['options']; positionals: string[] } {
  const options = { ...command.options, help: { type: 'boolean' } } as const;
  try {
    const { values, positionals } = parseArgs({ args: words, options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    throw new UsageError(whyUnparsed(error as NodeJS.ErrnoException, command));
  }
}

/** What `parseArgs` found wrong with an option. */
function whyUnparsed({ code, message }: NodeJS.ErrnoException, { name }: Command): string {
  const [, option = 'an option'] = /'(?:-\w, )?(-[^' ]*)/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `${option}: not an option of ${name}.`;
  if (message.includes('does not take')) return `${option}: takes no value.`;
  return `${option}: needs a value; write ${option}=VALUE if it begins with "-".`;
}

function explain(error: unknown, { name, help }: Command): string {
  if (error instanceof UsageError)
    return `${error.message}\nUsage: ${name} ${help.split('\n')[0]}\nTry "${name} --help".`;
  if (error instanceof SettingError || error instanceof CommandError) return error.message;
  if (error instanceof ApiError && error.kind === 'unavailable')
    return `The connection to the database was lost; completed changes are kept, and the command can be repeated. (${String(error.cause)})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
