import { readFileSync } from 'node:fs';
import type { EndOfService } from '../protocol/end-of-service.js';
import { Environment, readEnvironment, SETTING_NAMES, type SettingName } from './environment.js';

/** Missing or invalid settings; the message has one line for each, with its name and what would be valid. */
export class SettingError extends Error {}

/** All settings of the service, validated and frozen; nothing else reads the environment. */
export type Settings = Readonly<ReturnType<typeof toSettings>>;

/** Limits for polls that are held until something changes. */
export type WaitingSettings = Settings['waiting'];

/** The identity provider and this service's registration with it. */
export type OAuthSettings = Settings['oauth'];

const DEVELOPMENT = {
  BASIC_AUTH_ENABLED: true,
  USER_ID_SECRET: 'development-user-id-secret-not-for-production',
  SESSION_SECRET: 'development-session-secret-not-for-production',
  OAUTH_URI: 'http://127.0.0.1:9000',
  OAUTH_CLIENT_ID: 'reading-list',
  OAUTH_CLIENT_SECRET: 'development-client-secret',
  OAUTH_REDIRECT_DOMAINS: ['localhost', '127.0.0.1'],
} as const;
const PRODUCTION = { BASIC_AUTH_ENABLED: false, OAUTH_REDIRECT_DOMAINS: [] } as const;

const SECRETS = ['USER_ID_SECRET', 'SESSION_SECRET'] as const;
const REQUIRED_IN_PRODUCTION = ['PUBLIC_URL', ...SECRETS] as const;
/** In production, where there is a provider. */
const REQUIRED_WITH_PROVIDER = ['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET'] as const;
const MIN_SECRET_LENGTH = 32;

/** Environment variables, as text. */
export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from environment variables; `NAME_FILE` names a file that holds the value of `NAME`. Throws
 * `SettingError` with one line for each invalid or missing setting.
 */
export function readSettings(variables: Variables): Settings {
  const uriIsExplicit = Boolean(variables.OAUTH_URI || variables.OAUTH_URI_FILE);
  return Object.freeze(toSettings(inForce(variables), uriIsExplicit));
}

/** All settings with their effective defaults. Throws `SettingError` like `readSettings`. */
export function inForce(variables: Variables): Environment {
  const { values, problems } = withFiles(variables);
  const read = readEnvironment(values);
  problems.push(...read.problems);
  problems.push(...samePorts(read.environment));
  const production = read.environment.NODE_ENV === 'production';
  if (production) problems.push(...missingInProduction(read.environment, problems));
  if (problems.length > 0) throw new SettingError(problems.join('\n'));
  const given = Object.entries(read.environment).filter(([, value]) => value !== undefined);
  return Object.assign(new Environment(), production ? PRODUCTION : DEVELOPMENT, Object.fromEntries(given));
}

function withFiles(variables: Variables) {
  const values: Record<string, string | undefined> = { ...variables };
  const problems: string[] = [];
  for (const name of SETTING_NAMES) {
    const path = variables[`${name}_FILE`];
    if (!path) continue;
    try {
      if (variables[name]) problems.push(`${name}: set both directly and by ${name}_FILE`);
      else values[name] = readFileSync(path, 'utf8').trim();
    } catch (error) {
      const { code = 'unknown' } = error as NodeJS.ErrnoException;
      problems.push(`${name}_FILE: cannot be read (${code}): ${JSON.stringify(path)}`);
    }
  }
  return { values, problems };
}

/** Both ports are on the same host, so they have to differ; 0 is a free port for each. */
function samePorts({ PORT, METRICS_PORT }: Environment): string[] {
  if (METRICS_PORT !== PORT || !(PORT > 0 && PORT <= 65_535)) return [];
  return [`METRICS_PORT: must be another port than PORT, not ${METRICS_PORT}`];
}

/** @param said known problems: an invalid setting is not reported as missing too */
function missingInProduction(environment: Environment, said: readonly string[]): string[] {
  const isSaid = (name: string) => said.some((problem) => problem.startsWith(name));
  const missing = (names: readonly SettingName[], why: string) =>
    names.filter((name) => !isGiven(environment[name]) && !isSaid(name)).map((name) => `${name}: ${why}`);
  const short = SECRETS.filter((name) => isGiven(environment[name]) && isShort(environment[name]!));
  return [
    ...missing(REQUIRED_IN_PRODUCTION, 'required in production'),
    ...short.map((name) => `${name}: must have at least ${MIN_SECRET_LENGTH} characters in production`),
    ...(environment.OAUTH_URI === undefined
      ? []
      : missing(REQUIRED_WITH_PROVIDER, 'required in production where OAUTH_URI is set')),
  ];
}

const isGiven = (value: unknown): boolean => (typeof value === 'string' ? value.trim() !== '' : value !== undefined);

const isShort = (secret: string): boolean => secret.length < MIN_SECRET_LENGTH;

/** What an operator should know about settings that are taken nevertheless. Production refuses a short secret. */
export const warningsAbout = ({ userIdSecret }: Pick<Settings, 'userIdSecret'>): string[] =>
  isShort(userIdSecret)
    ? [
        `USER_ID_SECRET: has fewer than ${MIN_SECRET_LENGTH} characters, which production refuses, ` +
          'and it cannot change once there are users',
      ]
    : [];

function toSettings(environment: Environment, uriIsExplicit: boolean) {
  // Normalised, because it stands in headers: a host name in Unicode could not.
  const publicUrl = environment.PUBLIC_URL && withoutSlash(new URL(environment.PUBLIC_URL).href);
  return {
    production: environment.NODE_ENV === 'production',
    host: environment.HOST,
    port: environment.PORT,
    /** The base URL as clients see it, without a trailing slash; undefined to derive it from each request. */
    publicUrl,
    /** Express `trust proxy`. */
    trustProxy: readTrustProxy(environment.TRUST_PROXY),
    databaseUrl: environment.DATABASE_URL,
    databasePoolSize: environment.DATABASE_POOL_SIZE,
    migrateOnStart: environment.MIGRATE_ON_START,
    /** Whether to refuse to start with an empty database. */
    databaseMustHaveUsers: environment.DATABASE_MUST_HAVE_USERS,
    redisUrl: environment.REDIS_URL,
    serviceName: environment.SERVICE_NAME,
    documentationUrl: environment.DOCUMENTATION_URL,
    basicAuthEnabled: environment.BASIC_AUTH_ENABLED!,
    userIdSecret: environment.USER_ID_SECRET!,
    sessionSecret: environment.SESSION_SECRET!,
    oauth: Object.freeze(toOAuthSettings(environment, uriIsExplicit, publicUrl)),
    pageSize: environment.PAGE_SIZE,
    /** A page ends after about this many bytes of items, but has at least one item. */
    maxPageBytes: environment.MAX_PAGE_BYTES,
    batchMaxRequests: environment.BATCH_MAX_REQUESTS,
    /** Live articles; 0: no limit. */
    maxArticlesPerUser: environment.MAX_ARTICLES_PER_USER,
    waiting: Object.freeze({
      /** The longest wait that is granted; 0 disables waiting. */
      maxSeconds: environment.WAIT_MAX_SECONDS,
      /** Held requests per user, and in this process. */
      perUser: environment.WAITING_PER_USER,
      max: environment.WAITING_MAX,
    }),
    webAppEnabled: environment.WEB_APP_ENABLED,
    /** Whether personal tokens (`rl_…`) are accepted. */
    tokensEnabled: environment.TOKENS_ENABLED,
    deleteCollectionEnabled: environment.DELETE_COLLECTION_ENABLED,
    maxBodyBytes: environment.MAX_BODY_BYTES,
    /** Whether to compress responses for clients that accept it. */
    compressionEnabled: environment.COMPRESSION_ENABLED,
    backoff: environment.BACKOFF as 'auto' | 'always' | 'off',
    backoffSeconds: environment.BACKOFF_SECONDS,
    retryAfterSeconds: environment.RETRY_AFTER_SECONDS,
    rateLimitPerMinute: environment.RATE_LIMIT_PER_MINUTE,
    endOfService: toEndOfService(environment),
    tombstoneRetentionDays: environment.TOMBSTONE_RETENTION_DAYS,
    logLevel: environment.LOG_LEVEL,
    metricsPort: environment.METRICS_PORT,
  };
}

function toOAuthSettings(environment: Environment, uriIsExplicit: boolean, publicUrl?: string) {
  const { OAUTH_URI: uri = '', OAUTH_CLIENT_ID: clientId = '' } = environment;
  return {
    /** False in production without `OAUTH_URI`: then only personal tokens are accepted, and `uri` is empty. */
    enabled: uri !== '',
    providerName: environment.OAUTH_PROVIDER_NAME,
    /**
     * The issuer: the provider's base URL, without a trailing slash. As written: it is part of the keys of users, and
     * the provider's issuer has to equal it.
     */
    uri: withoutSlash(uri),
    /** True when `OAUTH_URI` is set; the heartbeat then reports on the provider. */
    uriIsExplicit,
    clientId,
    clientSecret: environment.OAUTH_CLIENT_SECRET ?? '',
    /** What a login asks for, separated by spaces. */
    scope: environment.OAUTH_SCOPE,
    /** What a token must have, which may be nothing. */
    requiredScopes: requiredScopes(environment),
    /** More parameters of the authorization request, as a query string. */
    loginParameters: environment.OAUTH_LOGIN_PARAMETERS ?? '',
    /** An access token must name one of these audiences. */
    audiences: environment.OAUTH_AUDIENCE
      ? [environment.OAUTH_AUDIENCE]
      : defaultAudiences(clientId, environment, publicUrl),
    /** The hosts to which a login may return: host names, `*.host` or `host:port`, in lower case. */
    redirectDomains: environment.OAUTH_REDIRECT_DOMAINS!.map((domain) => domain.toLowerCase()),
    tokenCacheSeconds: environment.OAUTH_TOKEN_CACHE_SECONDS,
    stateSeconds: environment.OAUTH_STATE_SECONDS,
  };
}

/** Scopes of OpenID Connect itself, which providers often leave out of tokens. */
const OPENID_SCOPES = ['openid', 'profile', 'email', 'offline_access'];

const requiredScopes = ({ OAUTH_SCOPE, OAUTH_REQUIRED_SCOPE }: Environment): string[] =>
  OAUTH_REQUIRED_SCOPE?.split(' ') ?? OAUTH_SCOPE.split(' ').filter((scope) => !OPENID_SCOPES.includes(scope));

const toEndOfService = ({
  EOS_DATE: date,
  EOS_MESSAGE: message,
  EOS_URL: url,
}: Environment): EndOfService | undefined => (date === undefined ? undefined : { date, message, url });

const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

/** The client and PUBLIC_URL, both as written and normalised: the provider may know it either way. */
const defaultAudiences = (clientId: string, { PUBLIC_URL = '' }: Environment, publicUrl = ''): string[] =>
  [...new Set([clientId, withoutSlash(PUBLIC_URL), publicUrl])].filter((audience) => audience !== '');

/** Express needs the number of hops as a number: it would parse a string as an IP address. */
function readTrustProxy(text: string | undefined): number | boolean | string | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  return { true: true, false: false }[text.toLowerCase()] ?? text;
}
