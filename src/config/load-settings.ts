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

/** Defaults outside production. */
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
const MIN_SECRET_LENGTH = 32;

/** Like `readSettings`, from the environment and `.env`. Warns about names in `.env` that only look like settings. */
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

/** Refuses what is in another encoding, which would be read as something else. */
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
  const given = Object.entries(values).map(([name, text]) => [DEFINITIONS.get(name)!.property, text]);
  const settings = plainToInstance(Settings, Object.fromEntries(given), { exposeDefaultValues: true });
  problems.push(...invalidIn(settings, values));
  const { port, metricsPort } = settings;
  // Both are on the same host; 0 is a free port for each.
  if (metricsPort === port && Number.isInteger(port) && port > 0)
    problems.push(`METRICS_PORT: must differ from PORT, which is ${port}`);
  if (production) problems.push(...missingInProduction(set, problems));
  if (problems.length > 0) throw new SettingError(problems.join('\n'));
  settings.production = production;
  derive(settings, set);
  return Object.freeze(settings);
}

function withFiles(variables: Variables) {
  const set: Record<string, string> = {};
  const problems: string[] = [];
  for (const name of SETTING_NAMES) {
    const [text, path] = [variables[name], variables[`${name}_FILE`]];
    // It may be the secret itself, by mistake.
    const shown = JSON.stringify(path?.startsWith('/') ? path : masked(name, path ?? ''));
    try {
      if (text && path) problems.push(`${name}: set both directly and through ${name}_FILE; remove one of them`);
      const value = text || (path && readText(path).trim());
      if (value) set[name] = value;
      else if (path) problems.push(`${name}_FILE: is empty: ${shown}`);
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      problems.push(`${name}_FILE: cannot be read (${code}): ${shown}`);
    }
  }
  return { set, problems };
}

function invalidIn(settings: Settings, values: Variables): string[] {
  const errors = new Validator().validateSync(settings, { skipMissingProperties: true, stopAtFirstError: true });
  return errors.map(({ property, constraints }) => {
    const [name, { secret }] = [...DEFINITIONS].find(([, definition]) => definition.property === property)!;
    const rule = Object.values(constraints ?? {})[0]!;
    if (secret) return `${name}: ${rule}`;
    const shown = masked(name, values[name]!);
    const quoted = JSON.stringify(shown.length > 100 ? `${shown.slice(0, 100)}…` : shown);
    return `${name}: ${rule}; it is ${quoted}`;
  });
}

/** An invalid setting, which is a problem already, is not reported as missing too. */
function missingInProduction(set: Variables, problems: readonly string[]): string[] {
  const isReported = (name: string) => problems.some((problem) => problem.startsWith(name));
  const isGiven = (name: string) => Boolean(set[name]?.trim());
  const missing = (names: readonly string[], why: string) =>
    names.filter((name) => !isGiven(name) && !isReported(name)).map((name) => `${name}: ${why}`);
  const short = SECRETS.filter((name) => isGiven(name) && set[name]!.length < MIN_SECRET_LENGTH);
  const client = isGiven('OAUTH_URI') ? ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET'] : [];
  return [
    ...missing(['PUBLIC_URL', ...SECRETS], 'required in production'),
    ...short.map((name) => `${name}: must have at least ${MIN_SECRET_LENGTH} characters in production`),
    ...missing(client, 'required in production where OAUTH_URI is set'),
  ];
}

function derive(settings: Settings, { OAUTH_URI, PUBLIC_URL = '' }: Variables): void {
  const { publicUrl, oauthScope, oauthRequiredScope, oauthAudience } = settings;
  settings.oauthUriIsExplicit = Boolean(OAUTH_URI);
  settings.oauthEnabled = settings.oauthUri !== '';
  settings.documentationUrl ??= publicUrl && `${publicUrl}/docs`;
  // Providers often leave the scopes of OpenID Connect itself out of tokens.
  const scopes = oauthScope.split(' ').filter((scope) => !/^(openid|profile|email|offline_access)$/.test(scope));
  settings.oauthRequiredScopes = oauthRequiredScope?.split(' ') ?? scopes;
  // PUBLIC_URL both as written and normalised: the provider may know it either way.
  const own = [settings.oauthClientId, withoutSlash(PUBLIC_URL), publicUrl];
  settings.oauthAudiences = oauthAudience ? [oauthAudience] : [...new Set(own)].flatMap((name) => name || []);
  const { eosDate: date, eosMessage: message, eosUrl: url } = settings;
  settings.endOfService = date === undefined ? undefined : { date, message, url };
}

/** What an operator should know about settings that are taken nevertheless. */
export function warningsAbout(settings: Settings, now: number): string[] {
  const { userIdSecret, trustProxy, endOfService, eosMessage, eosUrl } = settings;
  const applies: Record<string, boolean> = {
    [`USER_ID_SECRET has fewer than ${MIN_SECRET_LENGTH} characters; production refuses it, and it cannot change once there are users`]:
      userIdSecret.length < MIN_SECRET_LENGTH,
    'TRUST_PROXY: true believes what any client says about its address; name the proxies instead': trustProxy === true,
    'TOKENS_ENABLED: nobody can sign in, as BASIC_AUTH_ENABLED and OAUTH_URI are off too; turn one of them on':
      !settings.basicAuthEnabled && !settings.tokensEnabled && !settings.oauthEnabled,
    'EOS_DATE: without it, EOS_MESSAGE and EOS_URL have no effect': !endOfService && Boolean(eosMessage ?? eosUrl),
    'EOS_DATE has passed, so requests are refused with 410': endOfService !== undefined && isPastEnd(endOfService, now),
  };
  return Object.keys(applies).filter((warning) => applies[warning]);
}
