import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import { type AccountRow, findAccount, isDeprovisioned } from '../accounts/accounts.store.js';
import { accountKey } from '../auth/caller.js';
import { LOCAL_ISSUER } from '../auth/tokens/personal-tokens.js';
import { isIssuer, withoutSlash } from '../config/formats.js';
import type { Session } from '../database/session.js';
import { type CommandContext, CommandError, type DatabaseContext } from './shell.js';

const NAMING = ['key', 'subject', 'local', 'basic'] as const;
const NAME_ONE = 'Name one user with --key, --subject, --local or --basic.';

export type UserOptions = Partial<Record<(typeof NAMING)[number] | 'issuer', string>>;

/** A user as the operator named it. */
export type NamedUser = { option: (typeof NAMING)[number]; name: string; issuer?: string };

export const addUserOptions = (command: Command): Command =>
  command
    .option('--key <hex>', 'the user with this account key, as "user list" shows it', readKey)
    .option('--subject <subject>', 'the user with this subject at the identity provider', readSubject)
    .option('--issuer <url>', 'with --subject: the identity provider, when that is not OAUTH_URI', readIssuer)
    .option('--local <name>', 'the user with personal tokens of this name', readSubject)
    .option('--basic <name>', 'the Basic user of this name; password: BASIC_PASSWORD or standard input', readSubject);

/** The user that the options name, if any. Throws `InvalidArgumentError` when they name several, or one without a name. */
export function namedUser({ issuer, ...options }: UserOptions): NamedUser | undefined {
  const [option, ...more] = NAMING.filter((each) => options[each] !== undefined);
  if (more.length > 0 || (issuer !== undefined && !option)) throw new InvalidArgumentError(NAME_ONE);
  if (issuer !== undefined && option !== 'subject') throw new InvalidArgumentError('--issuer: needs --subject.');
  return option && { option, name: options[option]!, issuer };
}

export function requireUser(user: NamedUser | undefined): NamedUser {
  if (!user) throw new InvalidArgumentError(NAME_ONE);
  return user;
}

export async function keyFor(context: CommandContext, { option, name, issuer }: NamedUser): Promise<Buffer> {
  if (option === 'key') return Buffer.from(name, 'hex');
  if (option === 'subject') return bearerKey(context, issuerOf(context, issuer), name);
  if (option === 'local') return bearerKey(context, LOCAL_ISSUER, name);
  const password = context.environment.BASIC_PASSWORD ?? (await readPassword(name));
  return accountKey(context.settings.userIdSecret, 'basic', [name, password]);
}

/** The account key of a user of tokens. */
export const bearerKey = ({ settings }: CommandContext, issuer: string, subject: string): Buffer =>
  accountKey(settings.userIdSecret, 'bearer', [issuer, subject]);

/** The account of a user with this key. Throws `CommandError` when there is none: the name may be mistyped. */
export async function requireAccount(context: DatabaseContext, user: NamedUser, key: Buffer): Promise<AccountRow> {
  const account = await context.database.onSession((session) => findAccount(session, key));
  if (account) return account;
  const { option, name, issuer } = user;
  const whose =
    option === 'subject' ? ` of ${issuerOf(context, issuer)}` : option === 'basic' ? ' with this password' : '';
  const itsKey = option === 'key' ? '' : ` (key ${key.toString('hex')})`;
  throw new CommandError(`--${option} ${name}: there is no such user${whose}${itsKey}; "user list" shows all.`);
}

/** Throws `CommandError` for a user whose tokens are refused. */
export async function requireProvisioned(session: Session, who: string, account: Buffer): Promise<void> {
  if (await isDeprovisioned(session, account))
    throw new CommandError(`${who} is deprovisioned; run "user deprovision --undo" first`);
}

/** The identity provider of `--issuer`, or else that of the settings. Throws `InvalidArgumentError` when there is none. */
export function issuerOf({ settings }: CommandContext, issuer = settings.oauthUri): string {
  if (!issuer) throw new InvalidArgumentError('--issuer: OAUTH_URI is not set; name the identity provider.');
  return withoutSlash(issuer);
}

/** A parser for Commander that takes a text as it is, or rejects it with the message `right`. */
const textThat = (isRight: (text: string) => boolean, right: string) => (text: string) => {
  if (!isRight(text)) throw new InvalidArgumentError(right);
  return text;
};

/** Another spelling would name another user, and nobody could sign in as that one. */
export const readIssuer = textThat(isIssuer, 'Expected the URL of the identity provider, as in OAUTH_URI.');
export const readSubject = textThat((text) => text !== '', 'The name of the user is empty.');

function readKey(text: string): string {
  if (/^[0-9a-f]{32}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('Expected 32 hexadecimal digits, as "user list" shows them.');
}

/** Names of users and tokens appear in lists, so invisible characters are rejected. */
export const readName = textThat(
  (text) => /^(?!\s)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,255}(?<!\s)$/u.test(text),
  'Expected 1 to 255 visible characters, without spaces at either end.',
);

/** Reads a line of standard input, on a terminal without echo. Throws `InvalidArgumentError` when there is none. */
async function readPassword(user: string): Promise<string> {
  const what = `Password of ${user}`;
  const { isTTY } = process.stdin;
  if (isTTY) process.stderr.write(`${what} (not shown): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: isTTY });
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
    if (isTTY) process.stderr.write('\n');
  }
  throw new InvalidArgumentError(`${what}: give it in BASIC_PASSWORD, or as a line of standard input.`);
}
