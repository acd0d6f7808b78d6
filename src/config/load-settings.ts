import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { plainToInstance } from 'class-transformer';
import { Validator } from 'class-validator/cjs/validation/Validator.js';
import dotenv from 'dotenv';
import { isPastEnd } from '../protocol/service-headers.js';
import { withoutSlash } from './formats.js';
import { DEFINITIONS } from './setting.decorator.js';
import { masked, SETTING_NAMES, SettingError, Settings } from './settings.js';
import { unassignedNames, unknownNames } from './unknown-names.js';

export type Variables = Readonly<Record<string, string | undefined>>;

/** What counts where a variable is not set, except in production. */
const DEVELOPMENT: Variables = {
  BASIC_AUTH_ENABLED: 'true',
  USER_ID_SECRET: 'development-user-id-secret-not-for-production',
  SESSION_SECRET: 'development-session-secret-not-for-production',
  OAUTH_URI: 'http://127.0.0.1:9000',
  OAUTH_CLIENT_ID: 'reading-list',
  OAUTH_CLIENT_SECRET: 'development-client-secret',
  OAUTH_REDIRECT_DOMAINS: 'localhost,127.0.0.1',
};

const SECRETS = ['USER_ID_SECRET', 'SESSION_SECRET'];
const CLIENT = ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET'];
const MIN_SECRET_LENGTH = 32;

/** Scopes of OpenID Connect itself, which providers often leave out of tokens. */
const OPENID_SCOPES = ['openid', 'profile', 'email', 'offline_access'];

/** Like `readSettings`, from the environment and `.env`. Warns on stderr of what looks like a setting there but is none. */
export function loadSettings(): Settings {
  const text = textOfFile();
  const fromFile = dotenv.parse(text);
  for (const warning of [...unknownNames(Object.keys(fromFile)), ...unassignedNames(text)]) console.error(warning);
  return readSettings({ ...fromFile, ...process.env });
}

/** The variables of `.env`. Throws `SettingError` if it is there but cannot be read. */
export const variablesOfFile = (): Variables => dotenv.parse(textOfFile());

function textOfFile(): string {
  try {
    return readText('.env');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    throw new SettingError(`.env: cannot be read (${code})`);
  }
}

/** The text of a file. What is in another encoding would otherwise be read as something else. */
function readText(path: string): string {
  const content = readFileSync(path);
  if (isUtf8(content) && !content.includes(0)) return content.toString();
  throw Object.assign(new Error(path), { code: 'not text in UTF-8' });
}

/** `NAME_FILE` names a file with the value of `NAME`. Throws `SettingError` with a line for each invalid or missing setting. */
export function readSettings(variables: Variables): Settings {
  const { set, problems } = withFiles(variables);
  const production = set.NODE_ENV === 'production';
  const values = production ? set : { ...DEVELOPMENT, ...set };
  const given = Object.entries(values).map(([name, text]) => [propertyOf(name), text]);
  const settings = plainToInstance(Settings, Object.fromEntries(given), { exposeDefaultValues: true });
  problems.push(...invalidIn(settings, values), ...samePorts(settings));
  if (production) problems.push(...missingInProduction(set, problems));
  if (problems.length > 0) throw new SettingError(problems.join('\n'));
  settings.production = production;
  derive(settings, set);
  return Object.freeze(settings);
}

const propertyOf = (name: string): string => DEFINITIONS.get(name)!.property;

/** The settings that are not empty, by the names of their variables. */
function withFiles(variables: Variables) {
  const set: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of SETTING_NAMES) {
    const [text, path] = [variables[name], variables[`${name}_FILE`]];
    try {
      if (text && path) problems.push(`${name}: set both directly and through ${name}_FILE; remove one of them`);
      const value = text || (path && readText(path).trim());
      if (value) set[name] = value;
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      problems.push(`${name}_FILE: cannot be read (${code}): ${JSON.stringify(path)}`);
    }
  }
  return { set, problems };
}

function invalidIn(settings: Settings, values: Variables): string[] {
  const errors = new Validator().validateSync(settings, { skipMissingProperties: true, stopAtFirstError: true });
  return errors.map(({ property, constraints }) => {
    const name = SETTING_NAMES.find((each) => propertyOf(each) === property)!;
    const rule = Object.values(constraints ?? {})[0]!;
    return `${name}: ${rule}${quote(name, values[name]!, rule.startsWith('must not') ? 'in' : 'not')}`;
  });
}

/** The invalid value, to end a sentence with; nothing for a secret. */
function quote(name: string, text: string, how: 'in' | 'not'): string {
  if (DEFINITIONS.get(name)!.secret) return '';
  const shown = masked(name, text);
  return `, ${how} ${JSON.stringify(shown.length > 100 ? `${shown.slice(0, 100)}…` : shown)}`;
}

/** Both ports are on the same host, so they have to differ; 0 is a free port for each. */
function samePorts({ port, metricsPort }: Settings): string[] {
  const isSame = metricsPort === port && Number.isInteger(port) && port > 0;
  return isSame ? [`METRICS_PORT: must differ from PORT, which is ${port}`] : [];
}

/** @param said known problems: an invalid setting is not reported as missing too */
function missingInProduction(set: Variables, said: readonly string[]): string[] {
  const isSaid = (name: string) => said.some((problem) => problem.startsWith(name));
  const isGiven = (name: string) => Boolean(set[name]?.trim());
  const missing = (names: readonly string[], why: string) =>
    names.filter((name) => !isGiven(name) && !isSaid(name)).map((name) => `${name}: ${why}`);
  const short = SECRETS.filter((name) => isGiven(name) && isShort(set[name]!));
  return [
    ...missing(['PUBLIC_URL', ...SECRETS], 'required in production'),
    ...short.map((name) => `${name}: must have at least ${MIN_SECRET_LENGTH} characters in production`),
    ...(isGiven('OAUTH_URI') ? missing(CLIENT, 'required in production where OAUTH_URI is set') : []),
  ];
}

const isShort = (secret: string): boolean => secret.length < MIN_SECRET_LENGTH;

/** Fills in what is derived from other settings, and from whether they are set. */
function derive(settings: Settings, { OAUTH_URI, PUBLIC_URL = '' }: Variables): void {
  settings.oauthUriIsExplicit = Boolean(OAUTH_URI);
  settings.oauthEnabled = settings.oauthUri !== '';
  settings.documentationUrl ??= settings.publicUrl && `${settings.publicUrl}/docs`;
  settings.oauthRequiredScopes =
    settings.oauthRequiredScope?.split(' ') ??
    settings.oauthScope.split(' ').filter((scope) => !OPENID_SCOPES.includes(scope));
  // PUBLIC_URL both as written and normalised: the provider may know it either way.
  const own = [settings.oauthClientId, withoutSlash(PUBLIC_URL), settings.publicUrl];
  settings.oauthAudiences = settings.oauthAudience
    ? [settings.oauthAudience]
    : [...new Set(own)].flatMap((name) => name || []);
  const { eosDate: date, eosMessage: message, eosUrl: url } = settings;
  settings.endOfService = date === undefined ? undefined : { date, message, url };
}

/** What an operator should know about settings that are taken nevertheless. */
export function warningsAbout(settings: Settings, now: number): string[] {
  const { userIdSecret, trustProxy, endOfService, eosMessage, eosUrl } = settings;
  const takesNobody = !settings.basicAuthEnabled && !settings.tokensEnabled && !settings.oauthEnabled;
  const isEnding = endOfService !== undefined;
  const applies: Record<string, boolean> = {
    [`USER_ID_SECRET has fewer than ${MIN_SECRET_LENGTH} characters; production refuses it, and it cannot change once there are users`]:
      isShort(userIdSecret),
    'TRUST_PROXY: true believes what any client says about its address; name the proxies instead': trustProxy === true,
    'TOKENS_ENABLED: nobody can sign in, as BASIC_AUTH_ENABLED and OAUTH_URI are off too; turn one of them on':
      takesNobody,
    'EOS_DATE: without it, EOS_MESSAGE and EOS_URL have no effect': !isEnding && Boolean(eosMessage ?? eosUrl),
    'EOS_DATE has passed, so requests are refused with 410': isEnding && isPastEnd(endOfService, now),
  };
  return Object.keys(applies).filter((warning) => applies[warning]);
}
