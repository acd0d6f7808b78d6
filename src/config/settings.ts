import type { EndOfService } from '../protocol/service-headers.js';
import * as formats from './formats.js';
import { problemOfDatabaseUrl } from './database-url.js';
import { Check, DEFINITIONS, Examined, Flag, OneOf, Setting, Integer } from './setting.decorator.js';

const WHOLE_SECONDS = 2 ** 31 - 1;

const HttpUrl = Check('must be an absolute http(s) URL', formats.isHttpUrl);
const Port = Check('must have a port from 1 to 65535', formats.hasPossiblePort);
const Encoded = Check('must have each literal % written as %25', formats.isValidPercentEncoding);
/** Scopes as RFC 6749 (section 3.3) spells them. */
const Scopes = Check(
  'must be one or more scopes, separated by single spaces, of printable ASCII without " and \\',
  (text) => /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(text),
);
const ASSUMED = { defaultText: 'a development value' };

const lowerCaseItems = (text: string): string[] => text.split(',').flatMap((item) => item.trim().toLowerCase() || []);

/** Missing or invalid settings; the message has one line for each, with its name and what would be valid. */
export class SettingError extends Error {}

/**
 * All settings with their defaults, each read from the variable of the same name in capital letters (`pageSize`: `PAGE_SIZE`).
 * Of several decorators, the one next to the name is checked first. `readSettings` validates, completes and freezes them.
 */
export class Settings {
  @Setting('`production` refuses missing secrets and turns the development defaults off', { group: 'Service' })
  @OneOf('development', 'production', 'test')
  nodeEnv: string = 'development';
  @Setting('IP address or host name to listen on; the image sets `0.0.0.0`')
  @Check('must be an IP address or a host name, without scheme or port', formats.isHost)
  host: string = '127.0.0.1';
  @Integer(0, 65535, 'port to listen on; 0 picks a free one') port: number = 8000;
  @Setting('base URL as clients see it; required in production', { defaultText: 'from the request' })
  @Check('must be an absolute http(s) URL without user name, query or fragment', formats.isBaseUrl, (text) =>
    formats.withoutSlash(new URL(text).href),
  )
  @Port
  publicUrl?: string;
  @Setting('proxies that may set `X-Forwarded-*`: how many, or which IP addresses and ranges; `true` trusts everybody')
  @Check(
    'must be a number of proxies, a comma-separated list of addresses and ranges, true or false',
    formats.isTrustProxy,
    // Express needs the number of hops as a number: it would parse a string as an IP address.
    (text) => (/^\d+$/.test(text) ? Number(text) : ({ true: true, false: false }[text.toLowerCase()] ?? text)),
  )
  trustProxy?: string | number | boolean;

  @Setting(
    '`sqlite:PATH`, `sqlite::memory:` or `mysql://user:password@host:port/name`; see [database server](#the-database-server)',
    { group: 'Database' },
  )
  @Examined(problemOfDatabaseUrl)
  @Encoded
  databaseUrl: string = 'sqlite:var/reading-list.sqlite';
  @Integer(1, 1000, 'connections per process') databasePoolSize: number = 10;
  @Flag(
    'create the database and migrate it at startup, as an existing SQLite file always is; several instances may do so at once',
  )
  migrateOnStart: boolean = false;
  @Flag('refuse to start with a database that nobody has used yet; for a service that has users')
  databaseMustHaveUsers: boolean = false;
  @Setting('Redis for the token cache and rate limits that instances share')
  @Check(
    'must be a redis:// or rediss:// URL, or redis-sentinel://user:password@HOST:PORT,HOST:PORT/MASTER',
    formats.isRedisUrl,
  )
  @Port
  @Encoded
  redisUrl?: string;

  @Setting(
    'name in the root mapping, and realm in `WWW-Authenticate`; the realm is "reading list" if a header cannot quote the name',
    { group: 'Root endpoint' },
  )
  @Check('must be one line of text without control characters', (text) =>
    /^(?=.*\S)[^\p{Cc}\p{Zl}\p{Zp}]+$/u.test(text),
  )
  serviceName: string = 'reading list';
  @Setting('URL in the root mapping; errors link to the page `errors` below it', { defaultText: '`<PUBLIC_URL>/docs`' })
  @HttpUrl
  documentationUrl?: string;

  @Flag('accept any user name and password', { group: 'Users', defaultText: '`true`, in production `false`' })
  basicAuthEnabled: boolean = false;
  @Flag('accept personal tokens (`rl_…`)') tokensEnabled: boolean = true;
  @Setting(
    'secret from which user keys are derived, 32 characters or more. **It can never change**: all users would lose their data',
    { secret: true, defaultText: 'a development value; required in production' },
  )
  userIdSecret: string = '';
  @Setting(
    'protects login cookies and page tokens, 32 characters or more; changing it ends logins and listings in progress',
    { secret: true, defaultText: 'a development value; required in production' },
  )
  sessionSecret: string = '';

  @Setting('login paths are `/v2/<name>-oauth/…`', { group: 'Identity provider' })
  @Check('must be letters, digits, - and _', (text) => /^[A-Za-z0-9_-]{1,64}$/.test(text))
  oauthProviderName: string = 'acct';
  @Setting(
    'issuer of the identity provider; https, or plain http on loopback; without one, only personal tokens count as bearer tokens',
    { defaultText: '`http://127.0.0.1:9000`, in production none' },
  )
  @Check(
    'must be an https URL (plain http only on loopback) without user name, query or fragment',
    formats.isIssuer,
    formats.withoutSlash,
  )
  @Port
  oauthUri: string = '';
  @Setting('client id of this service at the provider; required in production where `OAUTH_URI` is set', ASSUMED)
  oauthClientId: string = '';
  @Setting('client secret of this service at the provider; required likewise', { secret: true, ...ASSUMED })
  oauthClientSecret: string = '';
  @Setting('scopes that a login asks for') @Scopes oauthScope: string = 'readinglist';
  @Setting("scopes required of tokens; OpenID's own are `openid`, `profile`, `email` and `offline_access`", {
    defaultText: "`OAUTH_SCOPE` without OpenID's own scopes",
  })
  @Scopes
  oauthRequiredScope?: string;
  @Setting('additional parameters of a login, as a query string (`audience=https://list.example.com`)')
  @Check('must not contain what the login itself sets, such as state, scope or redirect_uri', formats.leavesFlowAlone)
  @Check('must be a query string: name=value, several joined by &', formats.isQueryString)
  oauthLoginParameters?: string;
  @Setting('audience required of tokens', { defaultText: 'client id or `PUBLIC_URL`' })
  @Check('must not be blank', (text) => text.trim() !== '')
  oauthAudience?: string;
  @Setting('hosts to which a login may return, comma-separated', { defaultText: 'loopback, in production none' })
  @Check(
    'must be a comma-separated list of host names, optionally with *. in front or a port at the end',
    (text) => lowerCaseItems(text).every(formats.isRedirectDomain),
    lowerCaseItems,
  )
  oauthRedirectDomains: string[] = [];
  @Integer(0, WHOLE_SECONDS, 'how long a verified token is cached; a revoked one keeps working until then')
  oauthTokenCacheSeconds: number = 3600;
  @Integer(1, WHOLE_SECONDS, 'how long a login may take') oauthStateSeconds: number = 3600;

  @Integer(1, 10_000, 'articles on a page', { group: 'Limits' }) pageSize: number = 100;
  // With what surrounds it, a page has to fit into a string, which has less than 512 MiB, and so has a body.
  @Integer(1, 2 ** 26, 'approximate bytes on a page, 64 MiB at most; a page ends at whichever limit comes first')
  maxPageBytes: number = 1_048_576;
  @Integer(1, 1000, 'requests in a batch') batchMaxRequests: number = 25;
  @Integer(0, 10 ** 9, 'articles that a user may have, not counting deleted ones; 0: no limit')
  maxArticlesPerUser: number = 100_000;
  @Integer(0, 3600, 'longest time that a poll may wait for a change; 0: polls never wait')
  waitMaxSeconds: number = 55;
  @Integer(1, 1_000_000, 'polls per user that may wait at once') waitingPerUser: number = 20;
  @Integer(1, 1_000_000, 'polls per process that may wait at once') waitingMax: number = 10_000;
  @Integer(1, 2 ** 28, 'largest request body in bytes, 256 MiB at most') maxBodyBytes: number = 2_097_152;
  @Integer(0, WHOLE_SECONDS, 'requests per minute for a user, or for an IP address without credentials; 0: no limit')
  rateLimitPerMinute: number = 0;

  @Flag('serve the web application below `/app/`', {
    group: 'Features',
    example: {
      value: 'false',
      reason:
        'all applications on one origin can read the tokens that a browser keeps there; true where the service has a host name of its own',
    },
  })
  webAppEnabled: boolean = true;
  @Flag('allow `DELETE /v2/articles`') deleteCollectionEnabled: boolean = true;
  @Flag('compress responses for clients that ask for it; `false` where the load balancer does it')
  compressionEnabled: boolean = true;
  @Setting('when responses have `Backoff`: `auto` (under load), `always` or `off`')
  @OneOf('auto', 'always', 'off')
  backoff: 'auto' | 'always' | 'off' = 'auto';
  @Integer(1, WHOLE_SECONDS, 'seconds in `Backoff`, with `auto` up to half more or less') backoffSeconds: number = 30;
  @Integer(1, WHOLE_SECONDS, 'seconds in `Retry-After`') retryAfterSeconds: number = 30;
  @Setting('end of support, `yyyy-mm-dd`') @Check('must be a date yyyy-mm-dd', formats.isDate) eosDate?: string;
  @Setting('what users are told about the end of support', { longest: 1000 }) eosMessage?: string;
  @Setting('URL where users can read more about it') @HttpUrl eosUrl?: string;
  @Integer(0, 36_500, 'see [tombstone retention](#tombstone-retention); 0: tombstones are kept')
  tombstoneRetentionDays: number = 0;

  @Setting('`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`', { group: 'Log and metrics' })
  @OneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
  logLevel: string = 'info';
  @Integer(0, 65535, 'port for `/metrics` on `HOST`; without it there are no metrics') metricsPort?: number;
  production!: boolean;
  /** False in production without `oauthUri`: then only personal tokens count as bearer tokens. */
  oauthEnabled!: boolean;
  /** True when `OAUTH_URI` is set; the heartbeat then reports on the provider. */
  oauthUriIsExplicit!: boolean;
  oauthRequiredScopes!: readonly string[];
  /** An access token must name one of these audiences. */
  oauthAudiences!: readonly string[];
  endOfService?: EndOfService;
}

/** The names of all variables, in the order in which `.env.example` and the documentation list them. */
export const SETTING_NAMES = [...DEFINITIONS.keys()];

export const valueOf = (settings: Settings, name: string) =>
  settings[DEFINITIONS.get(name)!.property as Exclude<keyof Settings, 'endOfService'>];

/** A user and password, a password without its `@`, and one among the parameters. */
const SECRET = /(?<=:[/\\]*)(?![/\\]).*(?=@)|(?<=:\/\/[^/?#@[]*:)(?![\d:]*([/?#,]|$))[^/?#]*|(?<=password=)[^&]*/gs;

/** The value in a form that can be shown: without secrets and passwords in URLs. */
export const masked = (name: string, text: string): string =>
  DEFINITIONS.get(name)!.secret ? '…' : text.replace(SECRET, '…');
