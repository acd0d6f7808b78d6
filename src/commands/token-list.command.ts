import { listTokens } from '../auth/tokens/personal-tokens.store.js';
import type { Token } from '../database/entities/token.entity.js';
import { type Command, EXIT } from './command.js';
import { userOperand } from './token-options.js';

/** Lists personal tokens with user, name, creation, expiry and last use. */
export const tokenListCommand: Command = {
  name: 'token list',
  summary: 'List personal tokens, of a user or of all',
  help: `[USER] [--json]

Prints a line for each token: user, name, when it was created, when it expires, and when it was last used, to the hour. The tokens
themselves are not stored.

  --json  one JSON object per line, times in milliseconds

Exit codes: 0 done, 1 failed, 2 wrong usage`,
  options: { json: { type: 'boolean' } },
  takesOperands: true,
  checkUsage(given) {
    if (given.operands.length > 0) userOperand(given);
  },
  needsDatabase: true,
  async run(context) {
    const { operands, options, database, clock, print } = context;
    const subject = operands.length === 0 ? undefined : userOperand(context);
    const tokens = await database.onSession((session) => listTokens(session, subject));
    for (const token of tokens) await print(options.json ? jsonOf(token) : lineOf(token, clock()));
    if (tokens.length === 0 && !options.json) await print('there are no tokens');
    return EXIT.ok;
  },
};

const jsonOf = ({ subject, name, created_on, expires_on, last_used_on }: Token): string =>
  JSON.stringify({ user: subject, name, created_on, expires_on, last_used_on });

function lineOf({ subject, name, created_on, expires_on, last_used_on }: Token, now: number): string {
  const end = expires_on === null ? 'no end' : `${expires_on <= now ? 'EXPIRED' : 'until'} ${minute(expires_on)}`;
  const use = last_used_on === null ? 'never used' : `used ${minute(last_used_on)}`;
  return `${subject}  ${name}  made ${minute(created_on)}  ${end}  ${use}`;
}

const minute = (time: number): string => new Date(time).toISOString().slice(0, 16).concat('Z');
