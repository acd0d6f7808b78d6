import { plainToInstance, Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsInt,
  Matches,
  Max,
  MaxLength,
  Min,
  MinLength,
  ValidateBy,
  validateSync,
} from 'class-validator';

/** A setting that is missing or wrong; the message is one line that names it. */
export class SettingError extends Error {}

const asNumber = () =>
  Transform(({ value }: { value: unknown }) => (/^\d+$/.test(String(value)) ? Number(value) : value));
const asBoolean = () =>
  Transform(({ value }: { value: unknown }) => {
    const word = String(value).toLowerCase();
    return { true: true, '1': true, false: false, '0': false }[word] ?? value;
  });
const asList = () =>
  Transform(({ value }: { value: unknown }) =>
    String(value)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );

const check = (message: string, validate: (value: string) => boolean) =>
  ValidateBy({
    name: message,
    validator: { validate: (value) => typeof value === 'string' && validate(value), defaultMessage: () => message },
  });

const isLoopback = (host: string): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(host);

function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  return /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password;
}

const isIssuer = (text: string): boolean =>
  isBaseUrl(text) && (new URL(text).protocol === 'https:' || isLoopback(new URL(text).hostname));

const isDatabaseUrl = (text: string): boolean =>
  /^sqlite:.+/.test(text) || (/^mysql:\/\/[^/]+\/[^/?#]+$/.test(text) && URL.canParse(text));

const isDate = (text: string): boolean => {
  const instant = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text);
};

const WHOLE_SECONDS = 2 ** 31 - 1;

/**
 * The environment variables of the service with their defaults; undefined where there is none. Of several rules the one
 * next to the name is judged first.
 */
export class Environment {
  @IsIn(['development', 'production', 'test']) NODE_ENV: string = 'development';
  @MinLength(1) HOST: string = '127.0.0.1';
  @asNumber() @Max(65535) @Min(0) @IsInt() PORT: number = 8000;
  @check('must be an absolute http(s) URL without query and fragment', isBaseUrl) PUBLIC_URL?: string;
  @MinLength(1) TRUST_PROXY?: string;
  @check('must be sqlite:PATH, sqlite::memory: or mysql://user:password@host:port/name', isDatabaseUrl)
  DATABASE_URL: string = 'sqlite:var/reading-list.sqlite';
  @asNumber() @Max(1000) @Min(1) @IsInt() DATABASE_POOL_SIZE: number = 10;
  @asBoolean() @IsBoolean() MIGRATE_ON_START: boolean = false;
  @check('must be a redis:// or rediss:// URL', (text) => /^rediss?:\/\/./.test(text) && URL.canParse(text))
  REDIS_URL?: string;
  @MinLength(1) SERVICE_NAME: string = 'reading list';
  @check('must be an absolute http(s) URL', (text) => /^https?:/.test(text) && URL.canParse(text))
  DOCUMENTATION_URL?: string;
  @asBoolean() @IsBoolean() BASIC_AUTH_ENABLED?: boolean;
  @MinLength(1) USER_ID_SECRET?: string;
  @MinLength(1) SESSION_SECRET?: string;
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be letters, digits, - and _' })
  OAUTH_PROVIDER_NAME: string = 'acct';
  @check('must be an https URL (plain http only on loopback)', isIssuer) OAUTH_URI?: string;
  @MinLength(1) OAUTH_CLIENT_ID?: string;
  @MinLength(1) OAUTH_CLIENT_SECRET?: string;
  @MinLength(1) OAUTH_SCOPE: string = 'readinglist';
  @MinLength(1) OAUTH_AUDIENCE?: string;
  @asList()
  @Matches(/^(\*\.)?[^\s/:*@\\]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i, {
    each: true,
    message: 'must be a comma-separated list of host names, each with *. before it or a port after it if need be',
  })
  OAUTH_REDIRECT_DOMAINS?: string[];
  @asNumber() @Max(WHOLE_SECONDS) @Min(0) @IsInt() OAUTH_TOKEN_CACHE_SECONDS: number = 3600;
  @asNumber() @Max(WHOLE_SECONDS) @Min(1) @IsInt() OAUTH_STATE_SECONDS: number = 3600;
  @asNumber() @Max(10_000) @Min(1) @IsInt() PAGE_SIZE: number = 100;
  @asNumber() @Max(1000) @Min(1) @IsInt() BATCH_MAX_REQUESTS: number = 25;
  @asBoolean() @IsBoolean() DELETE_COLLECTION_ENABLED: boolean = true;
  @asNumber() @Max(2 ** 30) @Min(1) @IsInt() MAX_BODY_BYTES: number = 2_097_152;
  @IsIn(['auto', 'always', 'off']) BACKOFF: string = 'auto';
  @asNumber() @Max(WHOLE_SECONDS) @Min(1) @IsInt() BACKOFF_SECONDS: number = 30;
  @asNumber() @Max(WHOLE_SECONDS) @Min(1) @IsInt() RETRY_AFTER_SECONDS: number = 30;
  @asNumber() @Max(WHOLE_SECONDS) @Min(0) @IsInt() RATE_LIMIT_PER_MINUTE: number = 0;
  @check('must be a date yyyy-mm-dd', isDate) EOS_DATE?: string;
  @MaxLength(1000) EOS_MESSAGE?: string;
  @check('must be an absolute URL', (text) => URL.canParse(text)) EOS_URL?: string;
  @asNumber() @Max(36_500) @Min(0) @IsInt() TOMBSTONE_RETENTION_DAYS: number = 0;
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']) LOG_LEVEL: string = 'info';
  @asNumber() @Max(65535) @Min(0) @IsInt() METRICS_PORT?: number;
}

/** The names of all settings, in the order in which `.env.example` and the documentation list them. */
export const SETTING_NAMES = [
  'NODE_ENV',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'TRUST_PROXY',
  'DATABASE_URL',
  'DATABASE_POOL_SIZE',
  'MIGRATE_ON_START',
  'REDIS_URL',
  'SERVICE_NAME',
  'DOCUMENTATION_URL',
  'BASIC_AUTH_ENABLED',
  'USER_ID_SECRET',
  'SESSION_SECRET',
  'OAUTH_PROVIDER_NAME',
  'OAUTH_URI',
  'OAUTH_CLIENT_ID',
  'OAUTH_CLIENT_SECRET',
  'OAUTH_SCOPE',
  'OAUTH_AUDIENCE',
  'OAUTH_REDIRECT_DOMAINS',
  'OAUTH_TOKEN_CACHE_SECONDS',
  'OAUTH_STATE_SECONDS',
  'PAGE_SIZE',
  'BATCH_MAX_REQUESTS',
  'DELETE_COLLECTION_ENABLED',
  'MAX_BODY_BYTES',
  'BACKOFF',
  'BACKOFF_SECONDS',
  'RETRY_AFTER_SECONDS',
  'RATE_LIMIT_PER_MINUTE',
  'EOS_DATE',
  'EOS_MESSAGE',
  'EOS_URL',
  'TOMBSTONE_RETENTION_DAYS',
  'LOG_LEVEL',
  'METRICS_PORT',
] as const satisfies readonly (keyof Environment)[];

/** Types and validates raw variables (empty ones count as unset). Throws `SettingError` for the first wrong one. */
export function validateEnvironment(raw: Record<string, string | undefined>): Environment {
  const given = Object.fromEntries(SETTING_NAMES.flatMap((name) => (raw[name] ? [[name, raw[name]]] : [])));
  const environment = plainToInstance(Environment, given, { exposeDefaultValues: true });
  const [error] = validateSync(environment, { skipMissingProperties: true, stopAtFirstError: true });
  if (error) {
    const problem = Object.values(error.constraints ?? {})[0]!.replace(`${error.property} `, '');
    throw new SettingError(`${error.property}: ${problem}`);
  }
  return environment;
}
