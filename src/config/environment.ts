import { plainToInstance } from 'class-transformer';
import type { ValidatorOptions } from 'class-validator';
import {
  isBaseUrl,
  isHost,
  hasPossiblePort,
  isDate,
  isHttpUrl,
  isIssuer,
  isLine,
  isPercentEncoded,
  isQueryString,
  isRedirectDomain,
  isRedisUrl,
  isScope,
  isTrustProxy,
  setsNoFlowParameter,
} from './formats.js';
import { problemOfDatabaseUrl } from './database-url.js';
import { Check, DEFINITIONS, Examined, Flag, ListOf, OneOf, Setting, Text, WholeNumber } from './setting.decorator.js';
import { Matches, Validator } from './validation.js';

const VALIDATION: ValidatorOptions = { skipMissingProperties: true, stopAtFirstError: true };
const WHOLE_SECONDS = 2 ** 31 - 1;
/** Together with what surrounds them, a body and a page have to fit into a string, which has less than 512 MiB. */
const LARGEST_BODY = 2 ** 28;
const LARGEST_PAGE = 2 ** 26;
const MOST_ARTICLES = 10 ** 9;
const SCOPES = 'must be one or more scopes, separated by single spaces, of printable ASCII without " and \\';
const POSSIBLE_PORT = 'must have a port of 1 to 65535';
const ENCODED = 'must have each % that stands for itself written as %25';

/**
 * The environment variables of the service with their defaults; undefined where there is none. `.env.example` and the
 * table in docs/operations.md are generated from here. Of several decorators, the one next to the name is checked
 * first.
 */
export class Environment {
  @Setting('`production` refuses missing secrets and turns the development defaults off', { group: 'Service' })
  @OneOf('development', 'production', 'test')
  NODE_ENV: string = 'development';
  @Setting('IP address or host name to listen on; the image sets `0.0.0.0`')
  @Check('must be an IP address or a host name, without scheme and port', isHost)
  HOST: string = '127.0.0.1';
  @Setting('port to listen on; 0 picks a free one') @WholeNumber(0, 65535) PORT: number = 8000;
  @Setting('base URL as clients see it; required in production', { defaultText: 'from the request' })
  @Check('must be an absolute http(s) URL without user name, query and fragment', isBaseUrl)
  @Check(POSSIBLE_PORT, hasPossiblePort)
  PUBLIC_URL?: string;
  @Setting('how many proxies, or which IP addresses, may set `X-Forwarded-*`')
  @Check('must be a number of proxies, or their addresses and ranges, comma-separated', isTrustProxy)
  TRUST_PROXY?: string;

  @Setting(
    '`sqlite:PATH`, `sqlite::memory:` or `mysql://user:password@host:port/name`; see [database server](#the-database-server)',
    { group: 'Database' },
  )
  @Examined(problemOfDatabaseUrl)
  @Check(ENCODED, isPercentEncoded)
  DATABASE_URL: string = 'sqlite:var/reading-list.sqlite';
  @Setting('connections of a process') @WholeNumber(1, 1000) DATABASE_POOL_SIZE: number = 10;
  @Setting('create the database and bring its schema up to date at the start; several instances may do it at once')
  @Flag()
  MIGRATE_ON_START: boolean = false;
  @Setting('refuse to start with a database that nobody has used yet; for a service that has users')
  @Flag()
  DATABASE_MUST_HAVE_USERS: boolean = false;
  @Setting('token cache and rate limits that instances share')
  @Check(ENCODED, isPercentEncoded)
  @Check(
    'must be a redis:// or rediss:// URL, or redis-sentinel://user:password@HOST:PORT,HOST:PORT/MASTER',
    isRedisUrl,
  )
  @Check(POSSIBLE_PORT, hasPossiblePort)
  REDIS_URL?: string;

  @Setting('name in the root mapping and, if a header can quote it, the realm of challenges (else `reading list`)', {
    group: 'Root endpoint',
  })
  @Text()
  @Check('must be one line of text without control characters', isLine)
  SERVICE_NAME: string = 'reading list';
  @Setting('in the root mapping; errors refer to the page `errors` below it', { defaultText: '`<PUBLIC_URL>/docs`' })
  @Check('must be an absolute http(s) URL', isHttpUrl)
  DOCUMENTATION_URL?: string;

  @Setting('accept any user name and password', { group: 'Users', defaultText: '`true`, in production `false`' })
  @Flag()
  BASIC_AUTH_ENABLED?: boolean;
  @Setting('accept personal tokens (`rl_…`)') @Flag() TOKENS_ENABLED: boolean = true;
  @Setting(
    'key of the HMAC that makes the keys of users, 32 characters or more. **It can never change**: all users would lose their data',
    { secret: true, defaultText: 'a development value; required in production' },
  )
  @Text()
  USER_ID_SECRET?: string;
  @Setting(
    'protects login cookies and page tokens, 32 characters or more; changing it ends logins and walks in progress',
    { secret: true, defaultText: 'a development value; required in production' },
  )
  @Text()
  SESSION_SECRET?: string;

  @Setting('login paths are `/v2/<name>-oauth/…`', { group: 'Identity provider' })
  @Matches(/^[A-Za-z0-9_-]{1,64}$/, { message: 'must be letters, digits, - and _' })
  OAUTH_PROVIDER_NAME: string = 'acct';
  @Setting('issuer of the identity provider; https, or plain http on loopback; none: only personal tokens count', {
    defaultText: '`http://127.0.0.1:9000`, in production none',
  })
  @Check('must be an https URL (plain http only on loopback) without user name, query and fragment', isIssuer)
  @Check(POSSIBLE_PORT, hasPossiblePort)
  OAUTH_URI?: string;
  @Setting('name of this service at the provider; required in production where `OAUTH_URI` is set', {
    defaultText: 'a development value',
  })
  @Text()
  OAUTH_CLIENT_ID?: string;
  @Setting('its secret at the provider, required likewise', { secret: true, defaultText: 'a development value' })
  @Text()
  OAUTH_CLIENT_SECRET?: string;
  @Setting('scopes that a login asks for') @Text() @Check(SCOPES, isScope) OAUTH_SCOPE: string = 'readinglist';
  @Setting("scopes required of tokens; OpenID's own are `openid`, `profile`, `email` and `offline_access`", {
    defaultText: "`OAUTH_SCOPE` without OpenID's own scopes",
  })
  @Text()
  @Check(SCOPES, isScope)
  OAUTH_REQUIRED_SCOPE?: string;
  @Setting('more parameters of a login, as a query string (`audience=https://list.example.com`)')
  @Text()
  @Check('must not contain what the login itself sets, such as state, scope or redirect_uri', setsNoFlowParameter)
  @Check('must be a query string: name=value, several joined by &', isQueryString)
  OAUTH_LOGIN_PARAMETERS?: string;
  @Setting('audience required of tokens', { defaultText: 'client id or `PUBLIC_URL`' }) @Text() OAUTH_AUDIENCE?: string;
  @Setting('hosts to which a login may return, comma-separated', { defaultText: 'loopback, in production none' })
  @ListOf(
    isRedirectDomain,
    'must be a comma-separated list of host names, each with *. before it or a port after it if need be',
  )
  OAUTH_REDIRECT_DOMAINS?: string[];
  @Setting('for how long a verified token is cached; a revoked one works until then')
  @WholeNumber(0, WHOLE_SECONDS)
  OAUTH_TOKEN_CACHE_SECONDS: number = 3600;
  @Setting('how long a login may take') @WholeNumber(1, WHOLE_SECONDS) OAUTH_STATE_SECONDS: number = 3600;

  @Setting('articles on a page', { group: 'Limits' }) @WholeNumber(1, 10_000) PAGE_SIZE: number = 100;
  @Setting('bytes of a page, about, 64 MiB at most; it ends at whichever limit comes first')
  @WholeNumber(1, LARGEST_PAGE)
  MAX_PAGE_BYTES: number = 1_048_576;
  @Setting('requests of a batch') @WholeNumber(1, 1000) BATCH_MAX_REQUESTS: number = 25;
  @Setting('articles that a user may have, without deleted ones; 0: no limit')
  @WholeNumber(0, MOST_ARTICLES)
  MAX_ARTICLES_PER_USER: number = 100_000;
  @Setting('longest time that a poll may wait for a change; 0: none waits')
  @WholeNumber(0, 3600)
  WAIT_MAX_SECONDS: number = 55;
  @Setting('polls of a user that wait at once') @WholeNumber(1, 1_000_000) WAITING_PER_USER: number = 20;
  @Setting('polls of a process that wait at once') @WholeNumber(1, 1_000_000) WAITING_MAX: number = 10_000;
  @Setting('largest body of a request, 256 MiB at most') @WholeNumber(1, LARGEST_BODY) MAX_BODY_BYTES: number =
    2_097_152;
  @Setting('requests per minute of a user, or of an IP address without credentials; 0: no limit')
  @WholeNumber(0, WHOLE_SECONDS)
  RATE_LIMIT_PER_MINUTE: number = 0;

  @Setting('serve the web application below `/app/`', {
    group: 'Features',
    example: {
      value: 'false',
      reason:
        'a browser lets all applications of one origin read its tokens; true where the service has a host name of its own',
    },
  })
  @Flag()
  WEB_APP_ENABLED: boolean = true;
  @Setting('allow `DELETE /v2/articles`') @Flag() DELETE_COLLECTION_ENABLED: boolean = true;
  @Setting('compress responses for clients that ask for it; `false` where the load balancer does it')
  @Flag()
  COMPRESSION_ENABLED: boolean = true;
  @Setting('`auto`: the header appears under load; `always`, `off`') @OneOf('auto', 'always', 'off') BACKOFF: string =
    'auto';
  @Setting('seconds in `Backoff`, varied at random by up to half')
  @WholeNumber(1, WHOLE_SECONDS)
  BACKOFF_SECONDS: number = 30;
  @Setting('what `Retry-After` says') @WholeNumber(1, WHOLE_SECONDS) RETRY_AFTER_SECONDS: number = 30;
  @Setting('end of support, `yyyy-mm-dd`') @Check('must be a date yyyy-mm-dd', isDate) EOS_DATE?: string;
  @Setting('what users are told about it') @Text(1000) EOS_MESSAGE?: string;
  @Setting('where they read more')
  @Check('must be an absolute http(s) URL', isHttpUrl)
  EOS_URL?: string;
  @Setting('see [tombstone retention](#tombstone-retention); 0: tombstones are kept')
  @WholeNumber(0, 36_500)
  TOMBSTONE_RETENTION_DAYS: number = 0;

  @Setting('`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`', { group: 'Log and metrics' })
  @OneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
  LOG_LEVEL: string = 'info';
  @Setting('port of `/metrics` on `HOST`; none: there are no metrics') @WholeNumber(0, 65535) METRICS_PORT?: number;
}

/** The name of a setting. */
export type SettingName = keyof Environment;

/** The names of all settings, in the order in which `.env.example` and the documentation list them. */
export const SETTING_NAMES = [...DEFINITIONS.keys()] as SettingName[];

/** Converts raw variables to their types; empty ones count as unset. Returns one problem line for each invalid one. */
export function readEnvironment(raw: Record<string, string | undefined>): {
  environment: Environment;
  problems: string[];
} {
  const given = Object.fromEntries(SETTING_NAMES.flatMap((name) => (raw[name] ? [[name, raw[name]]] : [])));
  const environment = plainToInstance(Environment, given, { exposeDefaultValues: true });
  const errors = new Validator().validateSync(environment, VALIDATION);
  const problems = errors.map(({ property, constraints }) => {
    const quoted = quote(property as SettingName, raw[property]!);
    return `${property}: ${Object.values(constraints ?? {})[0]}${quoted}`;
  });
  return { environment, problems };
}

const MAX_QUOTED = 100;

/** The invalid value, to end a sentence with; nothing for a secret. */
function quote(name: SettingName, text: string): string {
  if (DEFINITIONS.get(name)!.secret) return '';
  const shown = masked(name, text);
  return `, not ${JSON.stringify(shown.length > MAX_QUOTED ? `${shown.slice(0, MAX_QUOTED)}…` : shown)}`;
}

/** The value in a form that can be shown: without secrets and passwords in URLs. */
export const masked = (name: SettingName, text: string): string =>
  DEFINITIONS.get(name)!.secret ? '…' : text.replace(/(:[/\\]*).*@/s, '$1…@');
