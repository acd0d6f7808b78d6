import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import { type AccountRow, accountsAfter, findAccount } from '../accounts/accounts.store.js';
import { accountKey } from '../auth/caller.js';
import { LOCAL_ISSUER } from '../auth/tokens/personal-tokens.js';
import { isIssuer } from '../config/formats.js';
import type { Database } from '../database/database.js';
import { isLongerThan } from '../protocol/field-values.js';
import { type CommandContext, CommandError, type DatabaseContext, UsageError } from './shell.js';

const MAX_NAME_LENGTH = 255;
const AT_ONCE = 500;

export interface UserOptions {
  key?: Buffer;
  subject?: string;
  issuer?: string;
  local?: string;
  basic?: string;
}

export const addUserOptions = (command: Command): Command =>
  command
    .option('--key <hex>', 'the user by the account\'s key, as "user list" shows it', readKey)
    .option('--subject <subject>', "by the user's subject at the identity provider", readSubject)
    .option('--issuer <url>', 'with --subject: the identity provider, when that is not OAUTH_URI', readIssuer)
    .option('--local <name>', 'a user of personal tokens', readSubject)
    .option(
      '--basic <name>',
      'a Basic user; the password comes from BASIC_PASSWORD, or else is a line of standard input',
      readSubject,
    );

export const namesUser = (options: UserOptions): boolean => Object.values(options).some((value) => value !== undefined);

/** Throws `UsageError` when the options do not name exactly one user. */
export function requireOneUser({ key, subject, local, basic }: UserOptions): void {
  if ([key, subject, local, basic].filter((value) => value !== undefined).length !== 1)
    throw new UsageError('Name one user with --key, --subject, --local or --basic.');
}

/** The account key of the user that the options name. Throws `UsageError` when they do not name exactly one. */
export async function userOf(context: CommandContext, options: UserOptions): Promise<Buffer> {
  const { key, subject, local, basic } = options;
  requireOneUser(options);
  if (key !== undefined) return key;
  const { userIdSecret } = context.settings;
  if (subject !== undefined) return accountKey(userIdSecret, 'bearer', [issuerOf(context, options), subject]);
  if (local !== undefined) return accountKey(userIdSecret, 'bearer', [LOCAL_ISSUER, local]);
  const password = context.environment.BASIC_PASSWORD ?? (await readPassword(`Password of ${basic}`));
  return accountKey(userIdSecret, 'basic', [basic!, password]);
}

/** The user as the operator named it, for the audit log. */
export const whoseOf = ({ key, subject, local, basic }: UserOptions): string =>
  subject ?? local ?? basic ?? key?.toString('hex') ?? 'all users';

/** All accounts in key order. */
export async function* allAccounts(database: Database): AsyncGenerator<AccountRow> {
  for (let after = Buffer.alloc(0); ;) {
    const accounts = await database.onSession((session) => accountsAfter(session, after, AT_ONCE));
    yield* accounts;
    if (accounts.length < AT_ONCE) return;
    after = accounts.at(-1)!.account as Buffer<ArrayBuffer>;
  }
}

/** The account of the user that the options name. Throws `CommandError` when there is none. */
export async function requireAccount(context: DatabaseContext, options: UserOptions): Promise<AccountRow> {
  const key = await userOf(context, options);
  const account = await context.database.onSession((session) => findAccount(session, key));
  if (!account) throw noSuchUser(context, options, key);
  return account;
}

/** The error for a user of whom there is nothing, named as in the options: the name may be mistyped. */
function noSuchUser(context: CommandContext, options: UserOptions, account: Buffer): CommandError {
  const { subject, local, basic } = options;
  const [key, all] = [account.toString('hex'), '"user list" shows all'];
  const error = (option: string, whose: string) =>
    new CommandError(`--${option}: there is no such user${whose} (key ${key}); ${all}.`);
  if (subject !== undefined) return error(`subject ${subject}`, ` of ${issuerOf(context, options)}`);
  if (local !== undefined) return error(`local ${local}`, '');
  if (basic !== undefined) return error(`basic ${basic}`, ' with this password');
  return new CommandError(`--key ${key}: there is no such user; ${all}.`);
}

/** The identity provider of `--issuer`, or else that of the settings. Throws `UsageError` when there is none. */
export function issuerOf({ settings }: CommandContext, { issuer }: Pick<UserOptions, 'issuer'>): string {
  const known = issuer ?? settings.oauthUri;
  if (!known) throw new UsageError('--issuer: OAUTH_URI is not set, name the identity provider.');
  return known.replace(/\/+$/, '');
}

/** Another spelling would name another user, as whom nobody can sign in. */
export function readIssuer(text: string): string {
  if (!isIssuer(text)) throw new InvalidArgumentError('The URL of the identity provider, as in OAUTH_URI.');
  return text;
}

/** Reads the name of a user, which may be anything but empty. */
export function readSubject(text: string): string {
  if (text === '') throw new InvalidArgumentError('The name of the user is empty.');
  return text;
}

function readKey(text: string): Buffer {
  if (!/^[0-9a-f]{32}$/i.test(text))
    throw new InvalidArgumentError('32 hexadecimal digits, as "user list" shows them.');
  return Buffer.from(text, 'hex');
}

/** Reads the name of a user or a token. Names appear in lists, so invisible characters are rejected. */
export function readName(text: string): string {
  const isPlain = text !== '' && text.trim() === text && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text);
  if (!isPlain || isLongerThan(text, MAX_NAME_LENGTH))
    throw new InvalidArgumentError(`1 to ${MAX_NAME_LENGTH} visible characters, without blanks at either end.`);
  return text;
}

/**
 * Reads one line from standard input; on a terminal with a prompt on stderr and without echo. Throws `UsageError` when
 * there is none.
 */
async function readPassword(what: string): Promise<string> {
  const { isTTY } = process.stdin;
  if (isTTY) process.stderr.write(`${what} (not shown): `);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: isTTY });
  try {
    for await (const line of lines) return line;
  } finally {
    lines.close();
    if (isTTY) process.stderr.write('\n');
  }
  throw new UsageError(`${what}: give it in BASIC_PASSWORD, or as a line of standard input.`);
}
