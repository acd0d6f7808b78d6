import { committed } from '../database/outcome.js';
import { renderUnicodeCompact } from 'uqr';
import { newPersonalToken, personalTokenHash } from '../auth/tokens/personal-token.js';
import { hasToken, insertToken } from '../auth/tokens/personal-tokens.store.js';
import type { Settings } from '../config/settings.js';
import type { Token } from '../database/entities/token.entity.js';
import { type Command, CommandError, type CommandContext, EXIT } from './command.js';
import { lifetimeOption, nameOption, userOperand } from './token-options.js';

/** Creates a personal token. It is shown only once, because only its hash is stored. */
export const tokenCreateCommand: Command = {
  name: 'token create',
  summary: 'Make a personal token for a device of a user',
  help: `USER --name NAME [--expires 90d] [--quiet]

Prints the token, which devices send as "Authorization: Bearer rl_…", and as a link and a QR code that open the web application
signed in. It is shown only once; only a hash is stored. A user exists from the first token on. Give each device its own,
so that the token of a lost device can be revoked alone.

  --name NAME      what the token is for, such as "phone"; a user's tokens have different names
  --expires TIME   how long it is valid: 12h, 90d, 4w; without it, until it is revoked
  --quiet          print the token and nothing else

Exit codes: 0 done, 1 failed, 2 wrong usage`,
  options: { name: { type: 'string' }, expires: { type: 'string' }, quiet: { type: 'boolean' } },
  takesOperands: true,
  checkUsage(given) {
    userOperand(given);
    nameOption(given);
    lifetimeOption(given);
  },
  needsDatabase: true,
  async run(context) {
    const { settings, clock, options, print } = context;
    if (!settings.tokensEnabled)
      throw new CommandError('TOKENS_ENABLED: is false, the service would not accept the token; set it to true');
    const token = newPersonalToken();
    const [subject, name, lifetime] = [userOperand(context), nameOption(context), lifetimeOption(context)];
    const token_hash = personalTokenHash(token);
    const created_on = clock();
    const expires_on = lifetime && created_on + lifetime;
    await store(context, { subject, name, token_hash, created_on, expires_on, last_used_on: null });
    await print(token);
    if (!options.quiet) for (const line of explanation(settings, token, expires_on)) await print(line);
    return EXIT.ok;
  },
};

async function store({ database }: CommandContext, token: Token): Promise<void> {
  try {
    await database.inTransaction(async (transaction) => {
      await insertToken(transaction, token);
      return committed(undefined, hasToken(token.token_hash));
    });
  } catch (error) {
    if (database.dialect.classify(error) !== 'duplicate') throw error;
    throw new CommandError(
      `${token.subject} has a token "${token.name}" already: revoke it first, or choose another --name`,
    );
  }
}

function explanation(settings: Settings, token: string, expiresOn: number | null): string[] {
  const until = expiresOn === null ? 'It is valid until it is revoked' : `It is valid until ${day(expiresOn)}`;
  const lines = ['', `${until}, and is shown only once.`];
  if (!settings.webAppEnabled) return lines;
  const link = `${baseOf(settings)}/app/#token=${token}`;
  return [
    ...lines,
    '',
    'Opens the web application signed in; whoever has the link is the user:',
    link,
    '',
    qrCode(link),
  ];
}

const qrCode = (text: string): string => renderUnicodeCompact(text, { border: 2 });

const day = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ').concat(' UTC');

/** Without PUBLIC_URL this is a trial service on this machine. */
const baseOf = ({ publicUrl, host, port }: Settings): string =>
  publicUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
