import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { SettingError } from '../config/settings.js';
import { ApiError } from '../protocol/api-error.js';
import { addBackup, addRestore } from './backup.commands.js';
import { addAdvanceClocks, addMigrate, addPurge } from './database.commands.js';
import { addDoctor } from './doctor.command.js';
import { addSettings } from './settings.command.js';
import { CommandError, EXIT, Shell } from './shell.js';
import { addTokenCreate, addTokenList, addTokenRevoke } from './token.commands.js';
import { addUserErase, addUserExport, addUserList } from './user.commands.js';
import { addUserDeprovision, addUserLink } from './user-identity.commands.js';
import { addUserImport } from './user-import.command.js';

/** Runs the command named by `words` and resolves with the exit code; writes errors to stderr. */
export async function runCommandLine(words: readonly string[]): Promise<number> {
  const shell = new Shell();
  const program = createProgram(shell);
  let called = program;
  program.hook('preAction', (_program, command) => {
    called = command;
  });
  try {
    await program.parseAsync(words.length > 0 ? words : ['help'], { from: 'user' });
    return shell.exitCode;
  } catch (error) {
    // Commands throw it for options that contradict each other or the settings; Commander converts those of parsers.
    if (error instanceof InvalidArgumentError)
      console.error(`error: ${error.message}\n${called.helpInformation().split('\n')[0]}\n${HINT}`);
    // Commander has printed any other.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    console.error(explain(error));
    return EXIT.failed;
  }
}

const HINT = 'Add --help for more.';

/** All commands, in the order of the list that `help` shows. */
export function createProgram(shell: Shell): Command {
  const program = new Command('commands')
    .description('Each command describes itself with --help.')
    .exitOverride()
    .showHelpAfterError(HINT)
    .addHelpText('afterAll', '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 something listed needs attention')
    .hook('preAction', (_program, command) => requireValues(command))
    .configureHelp({
      // Lists the commands of a group instead of the group, under the names that are typed.
      visibleCommands: ({ commands }) => commands.flatMap((each) => (each.commands.length > 0 ? each.commands : each)),
      subcommandTerm: (command) => (command.parent?.parent ? `${command.parent.name()} ` : '') + command.name(),
    });
  for (const add of [addMigrate, addSettings, addPurge, addDoctor, addBackup, addRestore, addAdvanceClocks])
    add(program, shell);
  const token = program.command('token').description('Personal tokens.');
  for (const add of [addTokenCreate, addTokenList, addTokenRevoke]) add(token, shell);
  const user = program.command('user').description('Users and their lists.');
  for (const add of [addUserList, addUserExport, addUserImport, addUserErase, addUserDeprovision, addUserLink])
    add(user, shell);
  return program;
}

/** Refuses an option without its value, for which Commander takes the option that follows. */
function requireValues(command: Command): void {
  for (const option of command.options) {
    const value = command.getOptionValue(option.attributeName()) as unknown;
    if (command.options.some(({ long }) => long === value))
      command.error(`error: option '${option.flags}' argument missing`);
  }
}

function explain(error: unknown): string {
  if (error instanceof SettingError || error instanceof CommandError) return error.message;
  if (error instanceof ApiError && error.kind === 'unavailable')
    return `The database is not available; completed changes are kept, and the command can be repeated. (${String(error.cause)})`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
