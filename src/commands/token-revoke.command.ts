import { deleteTokens } from '../auth/tokens/personal-tokens.store.js';
import { type Command, CommandError, EXIT, UsageError } from './command.js';
import { nameOption, userOperand } from './token-options.js';

/** Revokes personal tokens: within a few seconds no instance accepts them any more. */
export const tokenRevokeCommand: Command = {
  name: 'token revoke',
  summary: 'End a personal token, or all of a user',
  help: `USER --name NAME | --all

Every instance refuses the token within a few seconds. What the user stored stays.

  --name NAME  the token to end
  --all        all tokens of the user

Exit codes: 0 done, 1 failed or no such token, 2 wrong usage`,
  options: { name: { type: 'string' }, all: { type: 'boolean' } },
  takesOperands: true,
  checkUsage(given) {
    const { all, name } = given.options;
    if (all && name !== undefined) throw new UsageError('Say either --name or --all.');
    userOperand(given);
    if (!all) nameOption(given);
  },
  needsDatabase: true,
  async run(context) {
    const { options, database, print } = context;
    const subject = userOperand(context);
    const name = options.all ? undefined : nameOption(context);
    const revoked = await deleteTokens(database, subject, name);
    if (revoked === 0)
      throw new CommandError(
        `${subject} has no ${name === undefined ? 'tokens' : `token "${name}"`}; see "token list"`,
      );
    await print(`revoked ${revoked} ${revoked === 1 ? 'token' : 'tokens'} of ${subject}`);
    return EXIT.ok;
  },
};
