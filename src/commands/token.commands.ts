import { type Command, InvalidArgumentError, Option } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import { LOCAL_ISSUER, newPersonalToken, personalTokenHash } from '../auth/tokens/personal-tokens.js';
import { deleteTokens, hasToken, insertToken, listTokens } from '../auth/tokens/personal-tokens.store.js';
import { baseUrl } from '../config/formats.js';
import type { Token } from '../database/entities/token.entity.js';
import { committed } from '../database/session.js';
import { isDamaged } from './doctor/examine.js';
import { CommandError, counted, DAMAGED, type DatabaseContext, EXIT, type Shell, shownTime } from './shell.js';
import { bearerKey, readName, requireProvisioned } from './user-options.js';

type Options = { name: string; expires?: number; readOnly?: boolean; quiet?: boolean };

export const addTokenCreate = (commands: Command, shell: Shell): Command =>
  commands
    .command('create')
    .summary('Create a personal token for a device of a user')
    .description(
      `Prints the token, which devices send as "Authorization: Bearer rl_…", and a link and a QR code that open the web application signed in. The token is shown only once, as only a hash is stored.

A token is enough to create a user; the list begins with the first request. Give each device its own, so that the token of a lost device can be revoked alone.`,
    )
    .argument('<user>', 'the user of the device', readName)
    .requiredOption(
      '--name <name>',
      'what the token is for, such as "phone"; a user\'s tokens have different names',
      readName,
    )
    .option('--expires <time>', 'how long it is valid: 12h, 90d, 4w; without it, until it is revoked', readLifetime)
    .option('--read-only', 'the token may only read the list, not change it')
    .option('--quiet', 'print the token and nothing else')
    .action((user: string, options: Options) => shell.withDatabase((context) => create(context, user, options)));

async function create(context: DatabaseContext, user: string, options: Options): Promise<void> {
  const { name, expires, readOnly = false, quiet } = options;
  const { settings, now, database, print } = context;
  if (!settings.tokensEnabled)
    throw new CommandError('TOKENS_ENABLED is false, so the service would not accept the token; set it to true');
  const account = bearerKey(context, LOCAL_ISSUER, user);
  await database.onSession((session) => requireProvisioned(session, user, account));
  context.audit(`token create --name ${name}${readOnly ? ' --read-only' : ''}`, user, account);
  const token = newPersonalToken();
  const created_on = now();
  const expires_on = expires === undefined ? null : created_on + expires;
  const token_hash = personalTokenHash(token);
  const row = { subject: user, name, token_hash, created_on, expires_on, last_used_on: null, read_only: readOnly };
  await database
    .inTransaction(async (transaction) => committed(await insertToken(transaction, row), hasToken(token_hash)))
    .catch((error: unknown) => {
      if (database.dialect.classify(error) !== 'duplicate') throw error;
      throw new CommandError(`${user} already has a token "${name}"; revoke it first, or choose another --name`);
    });
  if (!(await print(token).catch(() => false)))
    throw new CommandError(`the token could not be printed; revoke "${name}" and create it again`);
  if (!quiet) for (const line of explanation(context, token, expires_on, readOnly)) await print(line);
}

function explanation({ settings }: DatabaseContext, token: string, expiresOn: number | null, readOnly: boolean) {
  const until = expiresOn === null ? 'It is valid until it is revoked' : `It is valid until ${minute(expiresOn)}`;
  const lines = ['', `${until}, and is shown only once.`];
  if (!settings.webAppEnabled) return lines;
  // Without PUBLIC_URL this is a trial service on this machine.
  const link = `${settings.publicUrl ?? baseUrl(settings.host, settings.port)}/app/#token=${token}`;
  const can = readOnly ? 'can read the list' : 'can read and change the list';
  lines.push('', `This link opens the web application signed in; whoever has it ${can}:`, link);
  lines.push('', renderUnicodeCompact(link, { border: 2 }));
  if (/^(localhost|.*\.localhost|127\..*|0\.0\.0\.0|\[::1?\])$/.test(new URL(link).hostname))
    lines.push(
      '',
      'The link works on this machine only. For one that works on other devices, set PUBLIC_URL, as in https://list.example.com.',
    );
  return lines;
}

const UNITS_MS: Readonly<Record<string, number>> = { h: 3_600_000, d: 86_400_000, w: 604_800_000 };

function readLifetime(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,8})([hdw])$/.exec(text) ?? [];
  const ms = Number(count) * (UNITS_MS[unit ?? ''] ?? NaN);
  if (!(ms <= 36_500 * UNITS_MS.d!))
    throw new InvalidArgumentError('Expected hours, days or weeks, at most 36500d, such as 12h, 90d or 4w.');
  return ms;
}

export const addTokenList = (commands: Command, shell: Shell): Command =>
  commands
    .command('list')
    .summary('List the personal tokens of a user, or of all')
    .description(
      'Prints a line for each token: user, name, when it was created, when it expires, when it was last used, to the hour, and whether it may only read. The tokens themselves are not stored.',
    )
    .argument('[user]', 'only those of this user', readName)
    .option('--json', 'one JSON object per line, times in milliseconds')
    .action((user: string | undefined, { json }: { json?: boolean }) =>
      shell.withDatabase(async ({ database, now, print }) => {
        const tokens = await database.onSession((session) => listTokens(session, user));
        for (const token of tokens) await print(json ? jsonOf(token) : lineOf(token, now()));
        if (tokens.length === 0 && !json) await print('there are no tokens');
        if (!tokens.some(isDamaged)) return EXIT.ok;
        if (!json) await print(DAMAGED);
        return EXIT.attention;
      }),
    );

const jsonOf = ({ subject: user, name, created_on, expires_on, last_used_on, read_only }: Token): string =>
  JSON.stringify({ user, name, created_on, expires_on, last_used_on, read_only: Boolean(read_only) });

function lineOf({ subject, name, created_on, expires_on, last_used_on, read_only }: Token, now: number): string {
  const end =
    expires_on === null ? 'never expires' : `${expires_on <= now ? 'EXPIRED' : 'until'} ${minute(expires_on)}`;
  const use = last_used_on === null ? 'never used' : `used ${minute(last_used_on)}`;
  return `${subject}  ${name}  created ${minute(created_on)}  ${end}  ${use}${read_only ? '  read-only' : ''}`;
}

const minute = (time: number): string => shownTime(time).replace(/:\d\d\.\d{3}Z$/, 'Z');

export const addTokenRevoke = (commands: Command, shell: Shell): Command =>
  commands
    .command('revoke')
    .summary("Revoke one of a user's personal tokens, or all")
    .description('Every instance refuses the token within a few seconds. What the user stored stays.')
    .argument('<user>', 'the user of the token', readName)
    .option('--name <name>', 'the token to revoke', readName)
    .addOption(new Option('--all', 'all tokens of the user').conflicts('name'))
    .action((user: string, { name, all }: { name?: string; all?: boolean }) => {
      if (name === undefined && !all) throw new InvalidArgumentError('--name: name a token, or use --all.');
      return shell.withDatabase(async ({ database, print, audit }) => {
        audit(name === undefined ? 'token revoke --all' : `token revoke --name ${name}`, user);
        const revoked = await deleteTokens(database, user, name);
        const missing = name === undefined ? 'tokens' : `token "${name}"`;
        if (revoked === 0) throw new CommandError(`${user} has no ${missing}; see "token list"`);
        await print(`revoked ${counted(revoked, 'token')} of ${user}`);
      });
    });
