import { readFileSync } from 'node:fs';
import type { EndOfService } from '../protocol/end-of-service.js';
import { type Environment, SettingError, SETTING_NAMES, validateEnvironment } from './environment.js';

export { SettingError };

/** All settings of the service, validated and frozen; the only way anything learns about its environment. */
export interface Settings {
  production: boolean;
  host: string;
  port: number;
  /** Base address as clients see it, without trailing slash; undefined: taken from each request. */
  publicUrl?: string;
  /** Express `trust proxy`. */
  trustProxy?: number | boolean | string;
  databaseUrl: string;
  databasePoolSize: number;
  migrateOnStart: boolean;
  redisUrl?: string;
  serviceName: string;
  documentationUrl?: string;
  basicAuthEnabled: boolean;
  userIdSecret: string;
  sessionSecret: string;
  oauth: OAuthSettings;
  pageSize: number;
  batchMaxRequests: number;
  deleteCollectionEnabled: boolean;
  maxBodyBytes: number;
  backoff: 'auto' | 'always' | 'off';
  backoffSeconds: number;
  retryAfterSeconds: number;
  rateLimitPerMinute: number;
  endOfService?: EndOfService;
  tombstoneRetentionDays: number;
  logLevel: string;
  metricsPort?: number;
}

/** The identity provider and this service's registration with it. */
export interface OAuthSettings {
  providerName: string;
  /** The issuer: base address of the provider, without trailing slash. */
  uri: string;
  /** True when `OAUTH_URI` was set, so that the heartbeat reports on the provider. */
  uriIsExplicit: boolean;
  clientId: string;
  clientSecret: string;
  scope: string;
  /** Audiences of which a JWT access token must name one. */
  audiences: string[];
  /** Host names, `*.host` or `host:port`, lower case, to which a login may return. */
  redirectDomains: string[];
  tokenCacheSeconds: number;
  stateSeconds: number;
}

const DEVELOPMENT = {
  USER_ID_SECRET: 'development-user-id-secret-not-for-production',
  SESSION_SECRET: 'development-session-secret-not-for-production',
  OAUTH_URI: 'http://127.0.0.1:9000',
  OAUTH_CLIENT_ID: 'reading-list',
  OAUTH_CLIENT_SECRET: 'development-client-secret',
} as const;

const SECRETS = ['USER_ID_SECRET', 'SESSION_SECRET'] as const;
const REQUIRED_IN_PRODUCTION = [
  'PUBLIC_URL',
  'USER_ID_SECRET',
  'SESSION_SECRET',
  'OAUTH_URI',
  'OAUTH_CLIENT_ID',
  'OAUTH_CLIENT_SECRET',
] as const;
const MIN_SECRET_LENGTH = 32;

/**
 * Reads the settings from environment variables; `NAME_FILE` gives the file that holds the value of `NAME`.
 * Throws `SettingError` with one line that names the wrong setting.
 */
export function readSettings(variables: Record<string, string | undefined>): Settings {
  const environment = validateEnvironment(withFiles(variables));
  const production = environment.NODE_ENV === 'production';
  if (production) requireProductionSettings(environment);
  return Object.freeze(toSettings(environment, production));
}

function withFiles(variables: Record<string, string | undefined>): Record<string, string | undefined> {
  const values = { ...variables };
  for (const name of SETTING_NAMES) {
    const path = variables[`${name}_FILE`];
    if (!path) continue;
    if (variables[name]) throw new SettingError(`${name}: set both directly and by ${name}_FILE`);
    try {
      values[name] = readFileSync(path, 'utf8').trim();
    } catch (error) {
      throw new SettingError(`${name}_FILE: can not be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
    }
  }
  return values;
}

function requireProductionSettings(environment: Environment): void {
  for (const name of REQUIRED_IN_PRODUCTION)
    if (environment[name] === undefined) throw new SettingError(`${name}: required in production`);
  for (const name of SECRETS)
    if (environment[name]!.length < MIN_SECRET_LENGTH)
      throw new SettingError(`${name}: must have at least ${MIN_SECRET_LENGTH} characters in production`);
}

function toSettings(environment: Environment, production: boolean): Settings {
  const publicUrl = environment.PUBLIC_URL?.replace(/\/+$/, '');
  return {
    production,
    host: environment.HOST,
    port: environment.PORT,
    publicUrl,
    trustProxy: readTrustProxy(environment.TRUST_PROXY),
    databaseUrl: environment.DATABASE_URL,
    databasePoolSize: environment.DATABASE_POOL_SIZE,
    migrateOnStart: environment.MIGRATE_ON_START,
    redisUrl: environment.REDIS_URL,
    serviceName: environment.SERVICE_NAME,
    documentationUrl: environment.DOCUMENTATION_URL,
    basicAuthEnabled: environment.BASIC_AUTH_ENABLED ?? !production,
    userIdSecret: environment.USER_ID_SECRET ?? DEVELOPMENT.USER_ID_SECRET,
    sessionSecret: environment.SESSION_SECRET ?? DEVELOPMENT.SESSION_SECRET,
    oauth: Object.freeze(toOAuthSettings(environment, production, publicUrl)),
    pageSize: environment.PAGE_SIZE,
    batchMaxRequests: environment.BATCH_MAX_REQUESTS,
    deleteCollectionEnabled: environment.DELETE_COLLECTION_ENABLED,
    maxBodyBytes: environment.MAX_BODY_BYTES,
    backoff: environment.BACKOFF as Settings['backoff'],
    backoffSeconds: environment.BACKOFF_SECONDS,
    retryAfterSeconds: environment.RETRY_AFTER_SECONDS,
    rateLimitPerMinute: environment.RATE_LIMIT_PER_MINUTE,
    endOfService: environment.EOS_DATE
      ? { date: environment.EOS_DATE, message: environment.EOS_MESSAGE, url: environment.EOS_URL }
      : undefined,
    tombstoneRetentionDays: environment.TOMBSTONE_RETENTION_DAYS,
    logLevel: environment.LOG_LEVEL,
    metricsPort: environment.METRICS_PORT,
  };
}

function toOAuthSettings(environment: Environment, production: boolean, publicUrl?: string): OAuthSettings {
  const clientId = environment.OAUTH_CLIENT_ID ?? DEVELOPMENT.OAUTH_CLIENT_ID;
  const domains = environment.OAUTH_REDIRECT_DOMAINS ?? (production ? [] : ['localhost', '127.0.0.1']);
  return {
    providerName: environment.OAUTH_PROVIDER_NAME,
    uri: (environment.OAUTH_URI ?? DEVELOPMENT.OAUTH_URI).replace(/\/+$/, ''),
    uriIsExplicit: environment.OAUTH_URI !== undefined,
    clientId,
    clientSecret: environment.OAUTH_CLIENT_SECRET ?? DEVELOPMENT.OAUTH_CLIENT_SECRET,
    scope: environment.OAUTH_SCOPE,
    audiences: environment.OAUTH_AUDIENCE
      ? [environment.OAUTH_AUDIENCE]
      : [clientId, ...(publicUrl ? [publicUrl] : [])],
    redirectDomains: domains.map((domain) => domain.toLowerCase()),
    tokenCacheSeconds: environment.OAUTH_TOKEN_CACHE_SECONDS,
    stateSeconds: environment.OAUTH_STATE_SECONDS,
  };
}

/** A number of hops must reach Express as a number: as a text it would be read as an address. */
function readTrustProxy(text: string | undefined): number | boolean | string | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  return { true: true, false: false }[text.toLowerCase()] ?? text;
}
