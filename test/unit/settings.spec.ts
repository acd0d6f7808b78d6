import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { format } from 'prettier';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isTrustProxy } from '../../src/config/formats.js';
import { SETTING_NAMES } from '../../src/config/settings.js';
import { envExample, settingsTable } from '../../src/config/settings-text.js';
import { unassignedNames, unknownNames } from '../../src/config/unknown-names.js';
import { readSettings } from '../../src/config/load-settings.js';
import { SettingError } from '../../src/config/settings.js';

type Variables = Record<string, string>;

const SECRET = 's'.repeat(32);
const PRODUCTION: Variables = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'https://list.example.com',
  USER_ID_SECRET: SECRET,
  SESSION_SECRET: SECRET,
  OAUTH_URI: 'https://id.example.com',
  OAUTH_CLIENT_ID: 'client',
  OAUTH_CLIENT_SECRET: 'client secret',
};

/** The one line with which the given variables are refused. */
function refusalOf(variables: Variables): string {
  try {
    readSettings(variables);
  } catch (error) {
    expect(error).toBeInstanceOf(SettingError);
    return (error as SettingError).message;
  }
  throw new Error('nothing was refused');
}

describe('without any variable', () => {
  it('every setting has its default', () => {
    expect({ ...readSettings({}) }).toEqual({
      nodeEnv: 'development',
      production: false,
      host: '127.0.0.1',
      port: 8000,
      publicUrl: undefined,
      trustProxy: undefined,
      databaseUrl: 'sqlite:var/reading-list.sqlite',
      databasePoolSize: 10,
      migrateOnStart: false,
      databaseMustHaveUsers: false,
      redisUrl: undefined,
      serviceName: 'reading list',
      documentationUrl: undefined,
      basicAuthEnabled: true,
      userIdSecret: 'development-user-id-secret-not-for-production',
      sessionSecret: 'development-session-secret-not-for-production',
      oauthProviderName: 'acct',
      oauthUri: 'http://127.0.0.1:9000',
      oauthClientId: 'reading-list',
      oauthClientSecret: 'development-client-secret',
      oauthScope: 'readinglist',
      oauthRequiredScope: undefined,
      oauthLoginParameters: undefined,
      oauthAudience: undefined,
      oauthRedirectDomains: ['localhost', '127.0.0.1'],
      oauthTokenCacheSeconds: 3600,
      oauthStateSeconds: 3600,
      oauthEnabled: true,
      oauthUriIsExplicit: false,
      oauthRequiredScopes: ['readinglist'],
      oauthAudiences: ['reading-list'],
      pageSize: 100,
      maxPageBytes: 1_048_576,
      batchMaxRequests: 25,
      maxArticlesPerUser: 100_000,
      waitMaxSeconds: 55,
      waitingPerUser: 20,
      waitingMax: 10_000,
      webAppEnabled: true,
      tokensEnabled: true,
      deleteCollectionEnabled: true,
      maxBodyBytes: 2_097_152,
      compressionEnabled: true,
      backoff: 'auto',
      backoffSeconds: 30,
      retryAfterSeconds: 30,
      rateLimitPerMinute: 0,
      eosDate: undefined,
      eosMessage: undefined,
      eosUrl: undefined,
      endOfService: undefined,
      tombstoneRetentionDays: 0,
      logLevel: 'info',
      metricsPort: undefined,
    });
  });

  it('nothing can be changed afterwards', () => {
    const settings = readSettings({});
    expect(Object.isFrozen(settings)).toBe(true);
  });

  it('nothing else in the environment counts', () => {
    expect(readSettings({ PATH: '/bin', LC_ALL: 'C', page_size: '5' })).toEqual(readSettings({}));
  });
});

describe('a setting is taken', () => {
  it.each<[Variables, object]>([
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ HOST: '::1' }, { host: '::1' }],
    [{ HOST: 'my_service.example.com' }, { host: 'my_service.example.com' }],
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: '65535' }, { port: 65535 }],
    [{ PUBLIC_URL: 'https://example.com/' }, { publicUrl: 'https://example.com' }],
    [{ PUBLIC_URL: 'https://example.com/list//' }, { publicUrl: 'https://example.com/list' }],
    [{ PUBLIC_URL: 'HTTPS://Bücher.Example:443/a/../list' }, { publicUrl: 'https://xn--bcher-kva.example/list' }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: 'True' }, { trustProxy: true }],
    [{ TRUST_PROXY: 'false' }, { trustProxy: false }],
    [{ TRUST_PROXY: 'loopback, 10.0.0.0/8' }, { trustProxy: 'loopback, 10.0.0.0/8' }],
    [{ DATABASE_URL: 'sqlite::memory:' }, { databaseUrl: 'sqlite::memory:' }],
    [{ DATABASE_URL: 'mysql://me:a%40b@db:3306/list' }, { databaseUrl: 'mysql://me:a%40b@db:3306/list' }],
    [{ DATABASE_URL: 'sqlite:100%.sqlite' }, { databaseUrl: 'sqlite:100%.sqlite' }],
    [{ DATABASE_POOL_SIZE: '1' }, { databasePoolSize: 1 }],
    [{ MIGRATE_ON_START: 'true' }, { migrateOnStart: true }],
    [{ DATABASE_MUST_HAVE_USERS: 'true' }, { databaseMustHaveUsers: true }],
    [{ REDIS_URL: 'redis://127.0.0.1:6379/1' }, { redisUrl: 'redis://127.0.0.1:6379/1' }],
    [{ REDIS_URL: 'rediss://cache' }, { redisUrl: 'rediss://cache' }],
    ...[
      'redis-sentinel://one:26379/mymaster',
      'redis-sentinel://user:p%40ss@one.example.com:26379,10.0.0.2,[::1]:26380/my-master/3',
      'rediss-sentinel://:70000@one,two/mymaster',
    ].map((url) => [{ REDIS_URL: url }, { redisUrl: url }] as [Record<string, string>, object]),
    [{ REDIS_URL: 'redis://:a,b@cache' }, { redisUrl: 'redis://:a,b@cache' }],
    [{ REDIS_URL: 'redis://:70000@cache:6379' }, { redisUrl: 'redis://:70000@cache:6379' }],
    [{ SERVICE_NAME: 'Später lesen' }, { serviceName: 'Später lesen' }],
    [{ DOCUMENTATION_URL: 'https://docs.example.com/?a#b' }, { documentationUrl: 'https://docs.example.com/?a#b' }],
    [{ BASIC_AUTH_ENABLED: '0' }, { basicAuthEnabled: false }],
    [{ BASIC_AUTH_ENABLED: 'FALSE' }, { basicAuthEnabled: false }],
    [
      { USER_ID_SECRET: 'a', SESSION_SECRET: 'b' },
      { userIdSecret: 'a', sessionSecret: 'b' },
    ],
    [{ PAGE_SIZE: '10000' }, { pageSize: 10_000 }],
    [{ MAX_PAGE_BYTES: '1' }, { maxPageBytes: 1 }],
    [{ MAX_PAGE_BYTES: '67108864' }, { maxPageBytes: 67_108_864 }],
    [{ MAX_BODY_BYTES: '268435456' }, { maxBodyBytes: 268_435_456 }],
    [{ BATCH_MAX_REQUESTS: '1000' }, { batchMaxRequests: 1000 }],
    [{ MAX_ARTICLES_PER_USER: '0' }, { maxArticlesPerUser: 0 }],
    [{ MAX_ARTICLES_PER_USER: '1000000000' }, { maxArticlesPerUser: 1_000_000_000 }],
    [
      { WAIT_MAX_SECONDS: '0', WAITING_PER_USER: '1', WAITING_MAX: '2' },
      { waitMaxSeconds: 0, waitingPerUser: 1, waitingMax: 2 },
    ],
    [{ WEB_APP_ENABLED: 'false' }, { webAppEnabled: false }],
    [{ TOKENS_ENABLED: 'false' }, { tokensEnabled: false }],
    [{ COMPRESSION_ENABLED: 'false' }, { compressionEnabled: false }],
    [{ DELETE_COLLECTION_ENABLED: 'false' }, { deleteCollectionEnabled: false }],
    [{ MAX_BODY_BYTES: '1' }, { maxBodyBytes: 1 }],
    [
      { BACKOFF: 'always', BACKOFF_SECONDS: '5' },
      { backoff: 'always', backoffSeconds: 5 },
    ],
    [{ BACKOFF: 'off' }, { backoff: 'off' }],
    [{ RETRY_AFTER_SECONDS: '7' }, { retryAfterSeconds: 7 }],
    [{ RATE_LIMIT_PER_MINUTE: '600' }, { rateLimitPerMinute: 600 }],
    [{ EOS_DATE: '2030-06-15' }, { endOfService: { date: '2030-06-15', message: undefined, url: undefined } }],
    [
      { EOS_DATE: '2032-02-29', EOS_MESSAGE: 'Bye', EOS_URL: 'https://example.com/' },
      { endOfService: { date: '2032-02-29', message: 'Bye', url: 'https://example.com/' } },
    ],
    [{ EOS_MESSAGE: 'Bye' }, { endOfService: undefined }],
    [{ TOMBSTONE_RETENTION_DAYS: '90' }, { tombstoneRetentionDays: 90 }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [{ METRICS_PORT: '9100' }, { metricsPort: 9100 }],
    [
      { PORT: '0', METRICS_PORT: '0' },
      { port: 0, metricsPort: 0 },
    ],
    [{ NODE_ENV: 'test' }, { production: false, basicAuthEnabled: true }],
    [
      { PORT: '', PAGE_SIZE: '', EOS_DATE: '' },
      { port: 8000, pageSize: 100, endOfService: undefined },
    ],
  ])('from %j', (variables, expected) => {
    expect(readSettings(variables)).toMatchObject(expected);
  });

  it.each<[Variables, object]>([
    [{ OAUTH_PROVIDER_NAME: 'my_id-2' }, { oauthProviderName: 'my_id-2' }],
    [
      { OAUTH_URI: 'https://id.example.com/realm/' },
      { oauthUri: 'https://id.example.com/realm', oauthUriIsExplicit: true },
    ],
    [{ OAUTH_URI: 'http://localhost:9001' }, { oauthUri: 'http://localhost:9001', oauthUriIsExplicit: true }],
    [{ OAUTH_URI: 'http://[::1]:9001' }, { oauthUri: 'http://[::1]:9001' }],
    [{ OAUTH_URI: 'http://127.0.0.2:9001' }, { oauthUri: 'http://127.0.0.2:9001' }],
    [{ OAUTH_URI: 'https://ID.example.com:443//' }, { oauthUri: 'https://ID.example.com:443' }],
    [{ OAUTH_REDIRECT_DOMAINS: 'Bücher.example,*.example' }, { oauthRedirectDomains: ['bücher.example', '*.example'] }],
    [
      { OAUTH_CLIENT_ID: 'c', OAUTH_CLIENT_SECRET: 's' },
      { oauthClientId: 'c', oauthClientSecret: 's', oauthAudiences: ['c'] },
    ],
    [{ OAUTH_SCOPE: 'list' }, { oauthScope: 'list' }],
    [
      { OAUTH_SCOPE: "https://list.example/all read:list [a]!#~'" },
      { oauthScope: "https://list.example/all read:list [a]!#~'" },
    ],
    [{ OAUTH_AUDIENCE: 'api' }, { oauthAudiences: ['api'] }],
    [{ PUBLIC_URL: 'https://example.com/' }, { oauthAudiences: ['reading-list', 'https://example.com'] }],
    [
      { PUBLIC_URL: 'https://List.example.com:443/' },
      { oauthAudiences: ['reading-list', 'https://List.example.com:443', 'https://list.example.com'] },
    ],
    [{ OAUTH_AUDIENCE: 'api', PUBLIC_URL: 'https://example.com' }, { oauthAudiences: ['api'] }],
    [
      { OAUTH_REDIRECT_DOMAINS: 'App.Example.com, *.pages.example.org,, localhost:3000 ,[::1]:8080' },
      { oauthRedirectDomains: ['app.example.com', '*.pages.example.org', 'localhost:3000', '[::1]:8080'] },
    ],
    [{ OAUTH_TOKEN_CACHE_SECONDS: '0' }, { oauthTokenCacheSeconds: 0 }],
    [{ OAUTH_STATE_SECONDS: '60' }, { oauthStateSeconds: 60 }],
  ])('of the identity provider from %j', (variables, expected) => {
    expect(readSettings(variables)).toMatchObject(expected);
  });
});

describe('a wrong setting is refused with one line', () => {
  const boolean = 'must be true or false';
  const seconds = 'must be an integer from 1 to 2147483647';
  const baseUrl = 'must be an absolute http(s) URL without user name, query or fragment';
  const percent = 'must have each literal % written as %25';
  const database = 'must be sqlite:PATH, sqlite::memory: or mysql://user:password@host:port/name';
  const port = 'must have a port from 1 to 65535';
  const parameter = (name: string) =>
    `must have only the parameters ssl-mode, ssl-ca, ssl-cert, ssl-key and socket, and no "${name}"`;
  const mode = 'must have an ssl-mode of DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY';
  const pair = 'must have both ssl-cert and ssl-key, or neither';
  const redis = 'must be a redis:// or rediss:// URL, or redis-sentinel://user:password@HOST:PORT,HOST:PORT/MASTER';
  const scope = 'must be one or more scopes, separated by single spaces, of printable ASCII without " and \\';
  const line = 'must be one line of text without control characters';
  const issuer = 'must be an https URL (plain http only on loopback) without user name, query or fragment';
  const date = 'must be a date yyyy-mm-dd';
  const domains = 'must be a comma-separated list of host names, optionally with *. in front or a port at the end';
  const proxies = 'must be a number of proxies, a comma-separated list of addresses and ranges, true or false';
  it.each([
    ['NODE_ENV', 'staging', 'must be development, production or test'],
    ['HOST', 'http://127.0.0.1', 'must be an IP address or a host name, without scheme or port'],
    ['HOST', '127.0.0.1:8000', 'must be an IP address or a host name, without scheme or port'],
    ['HOST', 'two words', 'must be an IP address or a host name, without scheme or port'],
    ['PORT', 'http', 'must be an integer from 0 to 65535'],
    ['PORT', '-1', 'must be an integer from 0 to 65535'],
    ['PORT', '1.5', 'must be an integer from 0 to 65535'],
    ['PORT', '65536', 'must be an integer from 0 to 65535'],
    ['PUBLIC_URL', 'example.com', baseUrl],
    ['PUBLIC_URL', 'ftp://example.com', baseUrl],
    ['PUBLIC_URL', 'https://example.com/?a=b', baseUrl],
    ['PUBLIC_URL', 'https://example.com/a;b', baseUrl],
    ['PUBLIC_URL', 'https://example.com/#a', baseUrl],
    ['PUBLIC_URL', 'https://example.com?', baseUrl],
    ['PUBLIC_URL', 'https://example.com/#', baseUrl],
    ['PUBLIC_URL', 'https://exam\nple.com', baseUrl],
    ['PUBLIC_URL', 'https://example.com/a b', baseUrl],
    ['PUBLIC_URL', ' https://example.com', baseUrl],
    ['PUBLIC_URL', 'https:\\\\example.com', baseUrl],
    ['PUBLIC_URL', 'https://example.com\\list', baseUrl],
    ['PUBLIC_URL', 'https:example.com', baseUrl],
    ['PUBLIC_URL', 'https:///example.com', baseUrl],
    ['PUBLIC_URL', 'https://example.com/@me', baseUrl],
    ['PUBLIC_URL', 'https://@example.com/', baseUrl],
    ['PUBLIC_URL', 'https://me@example.com/', baseUrl],
    ['PUBLIC_URL', 'https://me:secret@example.com/', baseUrl],
    ['PUBLIC_URL', 'https://example.com:80000/list', port],
    ['OAUTH_AUDIENCE', ' ', 'must not be blank'],
    ['TRUST_PROXY', 'nginx', proxies],
    ['TRUST_PROXY', '10.0.0.0/33', proxies],
    ['TRUST_PROXY', '10.0.0.1,', proxies],
    ['TRUST_PROXY', '10.0.0.0/255.0.255.0', proxies],
    ['TRUST_PROXY', '10.0.0.0/0.0.0.0', proxies],
    ['TRUST_PROXY', '10.0.0.0/0', proxies],
    ['DATABASE_URL', 'postgres://db/list', database],
    ['DATABASE_URL', 'mysql://db', database],
    ['DATABASE_URL', 'mysql://db/', database],
    ['DATABASE_URL', 'mysql:///list', database],
    ['DATABASE_URL', 'mysql://db/li/st', database],
    ['DATABASE_URL', 'mysql://::1/list', database],
    ['DATABASE_URL', 'mysql://db/list?ssl=1', parameter('ssl')],
    ['DATABASE_URL', 'mysql://db/list?ssl_mode=REQUIRED', parameter('ssl_mode')],
    ['DATABASE_URL', 'mysql://db/list?ssl-mode=REQUIRED&charset=utf8', parameter('charset')],
    ['DATABASE_URL', 'mysql://db/list?ssl-mode=REQUIRED&SSL-MODE=REQUIRED', 'must have ssl-mode only once'],
    ['DATABASE_URL', 'mysql://db/list?ssl-mode=', 'must have a value for ssl-mode'],
    ['DATABASE_URL', 'mysql://db/list?socket', 'must have a value for socket'],
    ['DATABASE_URL', 'mysql://db/list?ssl-mode=PREFERRED', mode],
    ['DATABASE_URL', 'mysql://db/list?ssl-ca=/ca.pem', mode.replace('DISABLED, ', '')],
    ['DATABASE_URL', 'mysql://db/list?ssl-mode=REQUIRED&ssl-key=/key.pem', pair],
    ['DATABASE_URL', 'mysql://db/list?ssl-mode=REQUIRED&ssl-cert=/cert.pem', pair],
    [
      'DATABASE_URL',
      'mysql://db/list?socket=/s&ssl-mode=REQUIRED',
      'must not have an ssl-mode with a socket, which needs none',
    ],
    [
      'DATABASE_URL',
      'mysql://db/list?ssl-mode=REQUIRED&ssl-ca=/none/ca.pem',
      'must have a readable file as ssl-ca (ENOENT)',
    ],
    [
      'DATABASE_URL',
      'mysql://db/list?ssl-mode=REQUIRED&ssl-ca=/etc/passwd',
      'must have certificates in PEM format in the file of ssl-ca',
    ],
    ['DATABASE_URL', 'mysql://[::1]:port/list', database],
    ['DATABASE_URL', 'mysql://db/li st', database],
    ['DATABASE_URL', 'mysql://db:65536/list', port],
    ['DATABASE_URL', 'mysql://me:70000@db:0/list', port],
    ['DATABASE_URL', 'mysql://me:70000/1@db/list', database],
    ['DATABASE_URL', 'mysql://me:100%@db/list', percent],
    ['DATABASE_URL', 'mysql://me:%FF@db/list', percent],
    ['DATABASE_URL', 'sqlite:', database],
    ['DATABASE_URL', 'sqlite: ', database],
    ['DATABASE_URL', 'sqlite: list.sqlite', database],
    ['DATABASE_POOL_SIZE', '0', 'must be an integer from 1 to 1000'],
    ['DATABASE_POOL_SIZE', '1001', 'must be an integer from 1 to 1000'],
    ['DATABASE_POOL_SIZE', 'ten', 'must be an integer from 1 to 1000'],
    ['MIGRATE_ON_START', 'perhaps', boolean],
    ['REDIS_URL', 'http://cache', redis],
    ['REDIS_URL', 'redis://', redis],
    ['REDIS_URL', 'redis://cache/list', redis],
    ['REDIS_URL', 'redis://cache:6379,cache2:6379', redis],
    ['REDIS_URL', 'redis://:a,b@cache,cache2', redis],
    ['REDIS_URL', 'redis-sentinel://one:26379,two:26379', redis],
    ['REDIS_URL', 'redis-sentinel://one:26379,/mymaster', redis],
    ['REDIS_URL', 'redis-sentinel://one two/mymaster', redis],
    ['REDIS_URL', 'redis-sentinel:///mymaster', redis],
    ['REDIS_URL', 'redis-sentinel://one/mymaster/list', redis],
    ['REDIS_URL', 'redis-sentinel://one/mymaster?db=1', redis],
    ['REDIS_URL', 'redis-sentinel://:100%@one/mymaster', percent],
    ['REDIS_URL', 'redis-sentinel://one:26379,two:70000/mymaster', port],
    ['REDIS_URL', 'redis-sentinel://:0@one:26379,[::1]:0/mymaster', port],
    ['REDIS_URL', 'redis://:100%@cache', percent],
    ['REDIS_URL', 'redis://cache:65536', port],
    ['REDIS_URL', 'redis://[::1]:70000/1', port],
    ['SERVICE_NAME', 'my\nlist', line],
    ['SERVICE_NAME', 'my\u2028list', line],
    ['SERVICE_NAME', ' ', line],
    ['DOCUMENTATION_URL', '/docs', 'must be an absolute http(s) URL'],
    ['DOCUMENTATION_URL', 'https:///docs', 'must be an absolute http(s) URL'],
    ['BASIC_AUTH_ENABLED', 'perhaps', boolean],
    ['OAUTH_PROVIDER_NAME', 'a/b', 'must be letters, digits, - and _'],
    ['OAUTH_PROVIDER_NAME', 'a'.repeat(65), 'must be letters, digits, - and _'],
    ['OAUTH_URI', 'id.example.com', issuer],
    ['OAUTH_URI', 'http://id.example.com', issuer],
    ['OAUTH_URI', 'https://id.example.com:80000', port],
    ['OAUTH_URI', 'https://id.example.com/?a', issuer],
    ['OAUTH_URI', 'https://id.example.com?', issuer],
    ['OAUTH_URI', 'https://id.example.com\n', issuer],
    ['OAUTH_URI', 'http://128.0.0.1:9001', issuer],
    ['OAUTH_URI', 'http://127.0.0.1.example.com', issuer],
    ['OAUTH_URI', 'http://127.0.0.1@example.com', issuer],
    ...['a"b', 'a\\b', 'a\nb', 'a\tb', 'a  b', ' a', 'a ', ' ', 'ä', 'a\u007f'].map((text) => [
      'OAUTH_SCOPE',
      text,
      scope,
    ]),
    ['OAUTH_REDIRECT_DOMAINS', 'https://example.com', domains],
    ['OAUTH_REDIRECT_DOMAINS', 'example.com,*', domains],
    ['OAUTH_REDIRECT_DOMAINS', 'example.com:port', domains],
    ['OAUTH_REDIRECT_DOMAINS', 'example.com:65536', domains],
    ['OAUTH_REDIRECT_DOMAINS', 'example.com?', domains],
    ['OAUTH_REDIRECT_DOMAINS', 'example..com', domains],
    ['OAUTH_REDIRECT_DOMAINS', '*.', domains],
    ['OAUTH_REDIRECT_DOMAINS', 'a b', domains],
    ['OAUTH_REDIRECT_DOMAINS', '*..example.com', domains],
    ['OAUTH_REDIRECT_DOMAINS', '*.127.0.0.1', domains],
    ['OAUTH_REDIRECT_DOMAINS', '127.1', domains],
    ['OAUTH_REDIRECT_DOMAINS', 'exa%6dple.com', domains],
    ['OAUTH_TOKEN_CACHE_SECONDS', '-1', 'must be an integer from 0 to 2147483647'],
    ['OAUTH_TOKEN_CACHE_SECONDS', '2147483648', 'must be an integer from 0 to 2147483647'],
    ['OAUTH_STATE_SECONDS', '0', seconds],
    ['PAGE_SIZE', '0', 'must be an integer from 1 to 10000'],
    ['PAGE_SIZE', '10001', 'must be an integer from 1 to 10000'],
    ['MAX_PAGE_BYTES', '0', 'must be an integer from 1 to 67108864'],
    ['MAX_PAGE_BYTES', '4MB', 'must be an integer from 1 to 67108864'],
    ['MAX_PAGE_BYTES', '67108865', 'must be an integer from 1 to 67108864'],
    ['MAX_ARTICLES_PER_USER', '-1', 'must be an integer from 0 to 1000000000'],
    ['MAX_ARTICLES_PER_USER', '1000000001', 'must be an integer from 0 to 1000000000'],
    ['MAX_ARTICLES_PER_USER', 'none', 'must be an integer from 0 to 1000000000'],
    ['WAIT_MAX_SECONDS', '3601', 'must be an integer from 0 to 3600'],
    ['WAITING_PER_USER', '0', 'must be an integer from 1 to 1000000'],
    ['WAITING_MAX', '0', 'must be an integer from 1 to 1000000'],
    ['WEB_APP_ENABLED', 'on', boolean],
    ['TOKENS_ENABLED', 'off', boolean],
    ['COMPRESSION_ENABLED', 'gzip', boolean],
    ['BATCH_MAX_REQUESTS', '0', 'must be an integer from 1 to 1000'],
    ['BATCH_MAX_REQUESTS', '1001', 'must be an integer from 1 to 1000'],
    ['DELETE_COLLECTION_ENABLED', 'yes', boolean],
    ['MAX_BODY_BYTES', '0', 'must be an integer from 1 to 268435456'],
    ['MAX_BODY_BYTES', '2MB', 'must be an integer from 1 to 268435456'],
    ['MAX_BODY_BYTES', '268435457', 'must be an integer from 1 to 268435456'],
    ['BACKOFF', 'sometimes', 'must be auto, always or off'],
    ['BACKOFF_SECONDS', '0', seconds],
    ['RETRY_AFTER_SECONDS', '0', seconds],
    ['RATE_LIMIT_PER_MINUTE', '-5', 'must be an integer from 0 to 2147483647'],
    ['EOS_DATE', 'soon', date],
    ['EOS_DATE', '2030-02-30', date],
    ['EOS_DATE', '2030-6-1', date],
    ['EOS_DATE', '2030-06', date],
    ['EOS_DATE', '2030-06-15T00:00:00Z', date],
    ['EOS_MESSAGE', 'x'.repeat(1001), 'must have at most 1000 characters'],
    ['EOS_URL', 'example.com', 'must be an absolute http(s) URL'],
    ['EOS_URL', 'javascript:alert(1)', 'must be an absolute http(s) URL'],
    ['EOS_URL', 'ftp://example.com/', 'must be an absolute http(s) URL'],
    ['TOMBSTONE_RETENTION_DAYS', '-1', 'must be an integer from 0 to 36500'],
    ['TOMBSTONE_RETENTION_DAYS', '36501', 'must be an integer from 0 to 36500'],
    ['LOG_LEVEL', 'loud', 'must be trace, debug, info, warn, error, fatal or silent'],
    ['METRICS_PORT', 'x', 'must be an integer from 0 to 65535'],
  ])('%s=%s', (name, value, problem) => {
    const quoted = value.replace(/:\/\/.*@/, '://…@').replace(/^(x{100})x*$/, '$1…');
    expect(refusalOf({ [name]: value })).toBe(`${name}: ${problem}; it is ${JSON.stringify(quoted)}`);
  });

  it.each([
    ['DATABASE_URL', 'mysql://me:s3/cr3t@db'],
    ['DATABASE_URL', 'mysql://me:s3@cr3t@db:port/list'],
    ['DATABASE_URL', 'mysql:me:s3cr3t@db/list'],
    ['DATABASE_URL', 'mysql://me:s3%cr3t@db/list'],
    ['REDIS_URL', 'http://:s3cr3t@cache'],
    ['REDIS_URL', 'redis-sentinel://:s3cr3t@one,two'],
    ['REDIS_URL', 'redis://:s3%cr3t@cache'],
    ['PUBLIC_URL', 'https:\\\\me:s3cr3t@example.com'],
    ['OAUTH_CLIENT_SECRET', 's3cr3t'.repeat(2000)],
  ])('%s=%s, without showing the password', (name, value) => {
    expect(refusalOf({ [name]: value })).toMatch(new RegExp(`^${name}: must (?!.*s3)(?!.*cr3t)`));
  });

  it.each<[Variables, string[]]>([
    [{ METRICS_PORT: '8000' }, ['METRICS_PORT: must differ from PORT, which is 8000']],
    [{ PORT: '9100', METRICS_PORT: '9100' }, ['METRICS_PORT: must differ from PORT, which is 9100']],
    [
      { PORT: '70000', METRICS_PORT: '70000' },
      [
        'PORT: must be an integer from 0 to 65535; it is "70000"',
        'METRICS_PORT: must be an integer from 0 to 65535; it is "70000"',
      ],
    ],
  ])('METRICS_PORT that is PORT: %j', (variables, lines) => {
    expect(refusalOf(variables).split('\n')).toEqual(lines);
  });

  it('for each, when there are several', () => {
    const variables = { PORT: 'x', BASIC_AUTH_ENABLED: 'no', PAGE_SIZE: '0', SESSION_SECRET_FILE: '/no/such/file' };
    expect(refusalOf(variables).split('\n')).toEqual([
      'SESSION_SECRET_FILE: cannot be read (ENOENT): "/no/such/file"',
      'PORT: must be an integer from 0 to 65535; it is "x"',
      'BASIC_AUTH_ENABLED: must be true or false; it is "no"',
      'PAGE_SIZE: must be an integer from 1 to 10000; it is "0"',
    ]);
  });
});

describe('the proxies that are trusted', () => {
  it.each([
    '10.0.0.1',
    '10.0.0.0/8',
    '10.0.0.0/255.0.0.0',
    '10.0.0.0/255.255.255.255',
    '::1',
    'fd00::/8',
    '::ffff:10.0.0.0/104',
    'fe80::1%eth0',
    'loopback,linklocal, uniquelocal',
    ...['10.0.0.0/255.0.255.0', '10.0.0.0/0.0.0.0', '10.0.0.0/33', '10.0.0.0/', '::1/129', 'fd00::/ffff::', '10.1', ''],
  ])('%j is taken exactly if Express takes it', (text) => {
    let isTaken = true;
    try {
      express().set('trust proxy', text);
    } catch {
      isTaken = false;
    }
    expect(isTrustProxy(text)).toBe(isTaken);
  });
});

describe('in production', () => {
  it('the complete settings are taken, and Basic and the redirect domains are off', () => {
    const settings = readSettings(PRODUCTION);
    expect(settings).toMatchObject({ production: true, basicAuthEnabled: false, userIdSecret: SECRET });
    expect(settings).toMatchObject({
      oauthUri: 'https://id.example.com',
      oauthRedirectDomains: [],
      oauthAudiences: ['client', 'https://list.example.com'],
    });
  });

  it('all that is missing is named at once, beside what is wrong', () => {
    const variables = { NODE_ENV: 'production', OAUTH_URI: 'https://id.example.com', PORT: 'x', PUBLIC_URL: 'y' };
    expect(
      refusalOf(variables)
        .split('\n')
        .map((line) => line.split(':')[0]),
    ).toEqual(['PORT', 'PUBLIC_URL', 'USER_ID_SECRET', 'SESSION_SECRET', 'OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET']);
  });

  it('Basic can be enabled', () => {
    expect(readSettings({ ...PRODUCTION, BASIC_AUTH_ENABLED: 'true' }).basicAuthEnabled).toBe(true);
  });

  it.each(['PUBLIC_URL', 'USER_ID_SECRET', 'SESSION_SECRET'])('%s is required', (name) => {
    expect(refusalOf({ ...PRODUCTION, [name]: '' })).toBe(`${name}: required in production`);
  });

  it.each(['USER_ID_SECRET', 'SESSION_SECRET'])('%s of blanks is missing', (name) => {
    expect(refusalOf({ ...PRODUCTION, [name]: ' '.repeat(40) })).toBe(`${name}: required in production`);
  });

  it.each(['OAUTH_CLIENT_ID', 'OAUTH_CLIENT_SECRET'])('%s is required where there is a provider', (name) => {
    for (const text of ['', '  '])
      expect(refusalOf({ ...PRODUCTION, [name]: text })).toBe(`${name}: required in production where OAUTH_URI is set`);
  });

  it('nothing of a provider is required, and none is assumed', () => {
    const settings = readSettings({ ...PRODUCTION, OAUTH_URI: '', OAUTH_CLIENT_ID: '', OAUTH_CLIENT_SECRET: '' });
    expect(settings).toMatchObject({ oauthEnabled: false, oauthUri: '', oauthUriIsExplicit: false });
  });

  it.each(['USER_ID_SECRET', 'SESSION_SECRET'])('%s has at least 32 characters', (name) => {
    expect(refusalOf({ ...PRODUCTION, [name]: 's'.repeat(31) })).toBe(
      `${name}: must have at least 32 characters in production`,
    );
  });
});

describe('a value in a file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'settings-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const fileWith = (content: string | Buffer): string => {
    const path = join(folder, 'value');
    writeFileSync(path, content);
    return path;
  };

  it.each(SETTING_NAMES.map((name) => [name]))('of %s is read', (name) => {
    expect(refusalOf({ [`${name}_FILE`]: join(folder, 'missing') })).toBe(
      `${name}_FILE: cannot be read (ENOENT): "${join(folder, 'missing')}"`,
    );
  });

  it('counts without the line break at its end', () => {
    expect(readSettings({ SESSION_SECRET_FILE: fileWith(' a secret\n') }).sessionSecret).toBe('a secret');
  });

  it('is validated', () => {
    expect(refusalOf({ PORT_FILE: fileWith('http') })).toBe('PORT: must be an integer from 0 to 65535; it is "http"');
  });

  it('fulfils what production requires', () => {
    const variables = { ...PRODUCTION, SESSION_SECRET: '', SESSION_SECRET_FILE: fileWith('t'.repeat(32)) };
    expect(readSettings(variables).sessionSecret).toBe('t'.repeat(32));
  });

  it('is refused beside a direct value', () => {
    expect(refusalOf({ PORT: '1', PORT_FILE: fileWith('2') })).toBe(
      'PORT: set both directly and through PORT_FILE; remove one of them',
    );
  });

  it('is refused when it is a folder', () => {
    expect(refusalOf({ PORT_FILE: folder })).toBe(`PORT_FILE: cannot be read (EISDIR): "${folder}"`);
  });

  it.each([Buffer.from('Geheimnis für alle', 'latin1'), Buffer.from('\uFEFFa secret', 'utf16le')])(
    'is refused when it is not text in UTF-8: %o',
    (content) => {
      const file = fileWith(content);
      expect(refusalOf({ SESSION_SECRET_FILE: file })).toBe(
        `SESSION_SECRET_FILE: cannot be read (not text in UTF-8): "${file}"`,
      );
    },
  );

  it('is refused when it is empty', () => {
    const file = fileWith('\n');
    expect(refusalOf({ ...PRODUCTION, SESSION_SECRET: '', SESSION_SECRET_FILE: file })).toBe(
      `SESSION_SECRET_FILE: is empty: "${file}"`,
    );
  });

  it.each([
    ['SESSION_SECRET', 's3cret', '…'],
    ['DATABASE_URL', 'mysql://me:s3cret@db/list', 'mysql://…@db/list'],
  ])('of %s is not shown when it is the value itself', (name, value, shown) => {
    expect(refusalOf({ [`${name}_FILE`]: value })).toBe(`${name}_FILE: cannot be read (ENOENT): "${shown}"`);
  });

  it('is not looked for when the name is empty', () => {
    expect(readSettings({ PORT_FILE: '' }).port).toBe(8000);
  });
});

describe('a line of .env', () => {
  it.each([
    ['PORT 8000', ['PORT']],
    ['  export PORT 8000\r\nHOST ::1', ['PORT', 'HOST']],
    ['SESSION_SECRET s3cret', ['SESSION_SECRET']],
    ['SESSION_SECRET_FILE', ['SESSION_SECRET_FILE']],
    ['PORT:8000', ['PORT']],
    ['PORT=8000\nHOST = ::1\nPORT: 8000\nexport PORT=8000', []],
    ['# PORT 8000\n\nPORT=\nPORT =\n', []],
    ['PATH /bin', []],
  ])('%j assigns nothing to %j', (text, names) => {
    expect(unassignedNames(text)).toEqual(
      names.map((name) => `${name}: ignored in .env, where a setting is written NAME=value`),
    );
  });
});

describe('a name in .env', () => {
  it.each([
    ['PAGESIZE', 'PAGE_SIZE'],
    ['page_size', 'PAGE_SIZE'],
    ['PAGE-SIZE', 'PAGE_SIZE'],
    ['OAUTH_URL', 'OAUTH_URI'],
    ['DATABASEURL', 'DATABASE_URL'],
    ['BASIC_AUTH_ENABLE', 'BASIC_AUTH_ENABLED'],
    ['SESSION_SECRETS', 'SESSION_SECRET'],
    ['SESION_SECRET_FILE', 'SESSION_SECRET_FILE'],
    ['RATE_LIMIT', 'RATE_LIMIT_PER_MINUTE'],
    ['PROT', 'PORT'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['PART_OF', undefined],
    ['TROP', undefined],
    ['SHOT', undefined],
  ])('%s resembles %s', (name, nearest) => {
    expect(unknownNames([name])).toEqual(nearest ? [`${name}: unknown, did you mean ${nearest}?`] : []);
  });

  it.each(['PAGE_SIZE', 'USER_ID_SECRET_FILE', 'OTEL_SERVICE_NAME', 'TZ', 'NODE_OPTIONS', 'X'.repeat(10_000)])(
    '%.30s is nothing to speak of',
    (name) => {
      expect(unknownNames([name])).toEqual([]);
    },
  );
});

describe('.env.example', () => {
  it('is what the definition of the settings says (npm run settings:write)', () => {
    expect(readFileSync('.env.example', 'utf8')).toBe(envExample());
  });

  it('says the same as docs/operations.md (npm run settings:write)', async () => {
    const table = (await format(settingsTable(), { parser: 'markdown' })).split('\n');
    const lines = readFileSync('docs/operations.md', 'utf8').split('\n');
    const start = lines.findIndex((line) => line.startsWith('| Variable '));
    expect(lines.slice(start, start + table.length)).toEqual(table);
  });

  const lines = readFileSync(join(import.meta.dirname, '../../.env.example'), 'utf8').split('\n');
  const settings = lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split(/=(.*)/s));

  it('lists exactly the settings, in their order', () => {
    expect(settings.map(([name]) => name)).toEqual(SETTING_NAMES);
  });

  it('gives their defaults, but switches the web application off and says why', () => {
    const given = readSettings(Object.fromEntries(settings) as Variables);
    expect(given).toEqual({ ...readSettings({}), webAppEnabled: false });
    expect(readSettings({}).webAppEnabled).toBe(true);
    expect(lines[lines.indexOf('WEB_APP_ENABLED=false') - 1]).toBe(
      '# false here, by default true: all applications on one origin can read the tokens that a browser keeps there; true where the service has a host name of its own',
    );
  });
});
