import { type Command, Option } from 'commander';
import { deleteTokens } from '../auth/tokens/personal-tokens.store.js';
import { CommandError, EXIT, UsageError } from './command.js';
import type { Shell } from './shell.js';
import { readName } from './user-options.js';

/** `token revoke`: within a few seconds no instance accepts the tokens any more. */
export function addTokenRevoke(commands: Command, shell: Shell): void {
  commands
    .command('revoke')
    .summary('End a personal token, or all of a user')
    .description('Every instance refuses the token within a few seconds. What the user stored stays.')
    .argument('<user>', 'whose token', readName)
    .option('--name <name>', 'the token to end', readName)
    .addOption(new Option('--all', 'all tokens of the user').conflicts('name'))
    .addHelpText('after', '\nExit codes: 0 done, 1 failed or no such token, 2 wrong usage')
    .action((user: string, { name, all }: { name?: string; all?: boolean }) => {
      if (name === undefined && !all) throw new UsageError('--name: say which token, or --all.');
      return shell.withDatabase(async ({ database, print, audit }) => {
        audit(name === undefined ? 'token revoke --all' : `token revoke --name ${name}`, user);
        const revoked = await deleteTokens(database, user, name);
        if (revoked === 0)
          throw new CommandError(
            `${user} has no ${name === undefined ? 'tokens' : `token "${name}"`}; see "token list"`,
          );
        await print(`revoked ${revoked} ${revoked === 1 ? 'token' : 'tokens'} of ${user}`);
        return EXIT.ok;
      });
    });
}
