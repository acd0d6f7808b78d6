import { type Command, InvalidArgumentError } from 'commander';
import { committed } from '../database/transaction.js';
import { renderUnicodeCompact } from 'uqr';
import { isDeprovisioned } from '../accounts/deprovisioned.store.js';
import { accountKey } from '../auth/caller.js';
import { LOCAL_ISSUER, newPersonalToken, personalTokenHash } from '../auth/tokens/personal-tokens.js';
import { hasToken, insertToken } from '../auth/tokens/personal-tokens.store.js';
import type { Settings } from '../config/settings.js';
import type { Token } from '../database/entities/token.entity.js';
import { baseUrl } from '../greeting.js';
import { CommandError, type DatabaseContext, EXIT } from './command.js';
import type { Shell } from './shell.js';
import { readName } from './user-options.js';

interface Options {
  name: string;
  expires?: number;
  readOnly?: boolean;
  quiet?: boolean;
}

/** `token create`: creates a personal token. It is shown only once, because only its hash is stored. */
export function addTokenCreate(commands: Command, shell: Shell): void {
  commands
    .command('create')
    .summary('Make a personal token for a device of a user')
    .description(
      `Prints the token, which devices send as "Authorization: Bearer rl_…", and as a link and a QR code that open the web application signed in. It is shown only once; only a hash is stored.

A user exists from the first token on. Give each device its own, so that the token of a lost device can be revoked alone.`,
    )
    .argument('<user>', 'whose token', readName)
    .requiredOption(
      '--name <name>',
      'what the token is for, such as "phone"; a user\'s tokens have different names',
      readName,
    )
    .option('--expires <time>', 'how long it is valid: 12h, 90d, 4w; without it, until it is revoked', readLifetime)
    .option('--read-only', 'the token may only read the list, not change it')
    .option('--quiet', 'print the token and nothing else')
    .addHelpText('after', '\nExit codes: 0 done, 1 failed, 2 wrong usage')
    .action((user: string, options: Options) => shell.withDatabase((context) => create(context, user, options)));
}

async function create(
  context: DatabaseContext,
  user: string,
  { name, expires, readOnly = false, quiet }: Options,
): Promise<number> {
  const { settings, clock, database, print } = context;
  if (!settings.tokensEnabled)
    throw new CommandError('TOKENS_ENABLED: is false, the service would not accept the token; set it to true');
  const account = accountKey(settings.userIdSecret, 'bearer', [LOCAL_ISSUER, user]);
  if (await database.onSession((session) => isDeprovisioned(session, account)))
    throw new CommandError(`${user} is deprovisioned; "user deprovision --undo" comes first`);
  context.audit(`token create --name ${name}${readOnly ? ' --read-only' : ''}`, user, account);
  const token = newPersonalToken();
  const created_on = clock();
  const expires_on = expires === undefined ? null : created_on + expires;
  const token_hash = personalTokenHash(token);
  await store(context, {
    subject: user,
    name,
    token_hash,
    created_on,
    expires_on,
    last_used_on: null,
    read_only: readOnly,
  });
  await print(token);
  if (!quiet) for (const line of explanation(settings, token, expires_on)) await print(line);
  return EXIT.ok;
}

async function store({ database }: DatabaseContext, token: Token): Promise<void> {
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
    ...(isOnThisMachine(link) ? ['', ONLY_HERE] : []),
  ];
}

const ONLY_HERE =
  'The link works on this machine only; with PUBLIC_URL=https://list.example.com in the settings it names the address that other devices use.';

/** Whether no other device reaches the service by this link. */
const isOnThisMachine = (link: string): boolean =>
  /^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/.test(new URL(link).hostname);

const qrCode = (text: string): string => renderUnicodeCompact(text, { border: 2 });

const day = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ').concat(' UTC');

/** Without PUBLIC_URL this is a trial service on this machine. */
const baseOf = ({ publicUrl, host, port }: Settings): string => publicUrl ?? baseUrl(host, port);

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const MAX_MS = 36_500 * UNITS_MS.d!;

/** Reads how long a token is valid, in milliseconds: `90d`, `12h`, `4w`. */
function readLifetime(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,8})([hdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit ?? ''] ?? NaN);
  if (!(ms <= MAX_MS)) throw new InvalidArgumentError('A number of hours, days or weeks: 12h, 90d, 4w.');
  return ms;
}
