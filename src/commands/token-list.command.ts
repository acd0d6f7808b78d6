import type { Command } from 'commander';
import { listTokens } from '../auth/tokens/personal-tokens.store.js';
import type { Token } from '../database/entities/token.entity.js';
import { EXIT } from './command.js';
import type { Shell } from './shell.js';
import { readName } from './user-options.js';

/** `token list`: lists personal tokens with user, name, creation, expiry and last use. */
export function addTokenList(commands: Command, shell: Shell): void {
  commands
    .command('list')
    .summary('List personal tokens, of a user or of all')
    .description(
      'Prints a line for each token: user, name, when it was created, when it expires, when it was last used, to the hour, and whether it may only read. The tokens themselves are not stored.',
    )
    .argument('[user]', 'only those of this user', readName)
    .option('--json', 'one JSON object per line, times in milliseconds')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage')
    .action((user: string | undefined, { json }: { json?: boolean }) =>
      shell.withDatabase(async ({ database, clock, print }) => {
        const tokens = await database.onSession((session) => listTokens(session, user));
        for (const token of tokens) await print(json ? jsonOf(token) : lineOf(token, clock()));
        if (tokens.length === 0 && !json) await print('there are no tokens');
        return EXIT.ok;
      }),
    );
}

const jsonOf = ({ subject, name, created_on, expires_on, last_used_on, read_only }: Token): string =>
  JSON.stringify({ user: subject, name, created_on, expires_on, last_used_on, read_only: Boolean(read_only) });

function lineOf({ subject, name, created_on, expires_on, last_used_on, read_only }: Token, now: number): string {
  const end =
    expires_on === null ? 'never expires' : `${expires_on <= now ? 'EXPIRED' : 'until'} ${minute(expires_on)}`;
  const use = last_used_on === null ? 'never used' : `used ${minute(last_used_on)}`;
  return `${subject}  ${name}  made ${minute(created_on)}  ${end}  ${use}${read_only ? '  read-only' : ''}`;
}

const minute = (time: number): string => new Date(time).toISOString().slice(0, 16).concat('Z');
