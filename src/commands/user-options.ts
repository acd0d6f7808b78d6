import { isIssuer } from '../config/formats.js';
import { accountKey } from '../auth/caller.js';
import { LOCAL_ISSUER } from '../auth/tokens/personal-token.js';
import { type Arguments, CommandError, type CommandContext, UsageError } from './command.js';
import { readPassword } from './password.js';

/** The options that name a user, for `Command.options`. */
export const USER_OPTIONS = {
  key: { type: 'string' },
  subject: { type: 'string' },
  issuer: { type: 'string' },
  local: { type: 'string' },
  basic: { type: 'string' },
} as const;

/** Their `--help` text. */
export const USER_HELP = `The user, one of:
  --key HEX          the account's key, as "user list" shows it
  --subject SUBJECT  the user's subject at the identity provider; --issuer URL when that is not OAUTH_URI
  --local NAME       a user of personal tokens
  --basic NAME       a Basic user; the password comes from BASIC_PASSWORD, or else is a line of standard input`;

/** True when a user is named. */
export const namesUser = ({ options }: Arguments): boolean =>
  Object.keys(USER_OPTIONS).some((name) => options[name] !== undefined);

/** Throws `UsageError` when the options do not name exactly one user. */
export function requireOneUser({ options: { key, subject, local, basic } }: Arguments): void {
  if ([key, subject, local, basic].filter((value) => value !== undefined).length !== 1)
    throw new UsageError('Name one user with --key, --subject, --local or --basic.');
}

/** The account key of the user that the options name. Throws `UsageError` when they do not name exactly one. */
export async function userOf(context: CommandContext): Promise<Buffer> {
  const { key, subject, local, basic } = context.options as Record<string, string | undefined>;
  requireOneUser(context);
  if (key !== undefined) return readKey(key);
  const [name] = [subject, local, basic].filter((value) => value !== undefined);
  if (name === '') throw new UsageError('The name of the user is empty.');
  const { userIdSecret } = context.settings;
  if (subject !== undefined) return accountKey(userIdSecret, 'bearer', [issuerOf(context), subject]);
  if (local !== undefined) return accountKey(userIdSecret, 'bearer', [LOCAL_ISSUER, local]);
  const password = context.environment.BASIC_PASSWORD ?? (await readPassword(`Password of ${basic}`));
  return accountKey(userIdSecret, 'basic', [basic!, password]);
}

/** The error for a user of whom there is nothing, named as in the options: the name may be mistyped. */
export function noSuchUser(context: CommandContext, account: Buffer): CommandError {
  const { subject, local, basic } = context.options as Record<string, string | undefined>;
  const [key, all] = [account.toString('hex'), '"user list" shows all'];
  if (subject !== undefined)
    return new CommandError(
      `--subject ${subject}: there is no such user of ${issuerOf(context)} (key ${key}); ${all}.`,
    );
  if (local !== undefined) return new CommandError(`--local ${local}: there is no such user (key ${key}); ${all}.`);
  if (basic !== undefined)
    return new CommandError(`--basic ${basic}: there is no such user with this password (key ${key}); ${all}.`);
  return new CommandError(`--key ${key}: there is no such user; ${all}.`);
}

/** The identity provider of `--issuer`, or else that of the settings. Throws `UsageError` when there is none. */
export function issuerOf({ options, settings }: CommandContext): string {
  const issuer = (options.issuer as string | undefined) ?? settings.oauth.uri;
  if (!issuer) throw new UsageError('--issuer: OAUTH_URI is not set, name the identity provider.');
  // Another spelling would be another user, whom nobody can ever be.
  if (!isIssuer(issuer))
    throw new UsageError(`--issuer: the URL of the identity provider, as in OAUTH_URI, not ${issuer}.`);
  return issuer.replace(/\/+$/, '');
}

function readKey(key: string): Buffer {
  if (!/^[0-9a-f]{32}$/i.test(key)) throw new UsageError('--key: 32 hexadecimal digits, as "user list" shows them.');
  return Buffer.from(key, 'hex');
}
