import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { requestIdOf } from '../../src/operations/logging/request-log.js';
import { exchangeBytes } from '../api/raw-http.js';
import { basicAuthorization } from '../support/client.js';
import { ScriptedProvider } from '../support/identity-provider.js';
import { startService, type Service } from '../support/service.js';
import { startServiceWith } from '../support/service-with-provider.js';
import { sqliteFile } from './backends.js';
import { entriesOf, type LogEntry } from './log-entries.js';

const UUID = /^[0-9a-f-]{36}$/;
const SECRETS = [
  'secret-in-path',
  'secret-in-query',
  'secret-in-body',
  'secret-in-header',
  'secret-password',
  'secret.example',
];

let provider: ScriptedProvider;
let service: Service;
let close: () => Promise<void>;
let token: string;

beforeAll(async () => {
  const settings = { LOG_LEVEL: 'debug', OAUTH_CLIENT_SECRET: 'secret-client' };
  ({ provider, service, close } = await startServiceWith(ScriptedProvider.start(), settings));
  token = await provider.sign();
});

afterAll(() => close());

const basic = basicAuthorization('me', 'secret-password');

function ask(method: string, path: string, headers: Record<string, string> = {}, body?: unknown): Promise<Response> {
  return fetch(service.url + path, {
    method,
    headers: { authorization: basic, ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}

/** The lines about the requests that had this id. */
const linesOf = async (id: string, count = 1): Promise<LogEntry[]> =>
  entriesOf(service, (entry) => entry.requestId === id, count);

describe('a request', () => {
  it('is one line with its id, user, route, status, duration and number of statements', async () => {
    const answer = await ask(
      'POST',
      '/v2/articles',
      { 'x-request-id': 'create-1' },
      {
        url: 'https://secret.example/secret-in-body',
        title: 'secret-in-body',
        added_by: 'secret-in-body',
      },
    );
    expect(answer.status).toBe(201);
    const [line] = await linesOf('create-1');
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      requestId: 'create-1',
      user: expect.stringMatching(/^[0-9a-f]{12}$/),
      method: 'POST',
      route: '/v2/articles',
      status: 201,
      ms: expect.any(Number),
      sql: 5,
    });
  });

  it('is logged with its errno and the template of its route when it fails', async () => {
    const answer = await ask('GET', '/v2/articles/secret-in-path?a=secret-in-query', { 'x-request-id': 'fail-1' });
    expect(answer.status).toBe(404);
    const [line] = await linesOf('fail-1');
    expect(line).toMatchObject({ level: 'info', route: '/v2/articles/:id', status: 404, errno: 110 });
  });

  it('that matches no route is logged as unmatched', async () => {
    await ask('GET', '/v2/secret-in-path', { 'x-request-id': 'unmatched-1' });
    expect((await linesOf('unmatched-1'))[0]).toMatchObject({ route: 'unmatched', status: 404, errno: 111 });
  });

  it('that is not a request is logged under the id that its answer has', async () => {
    const { status, headers } = await exchangeBytes(service.url, 'NONSENSE\r\n\r\n');
    expect([status, headers['x-request-id']]).toEqual([400, expect.stringMatching(UUID)]);
    const [line] = await linesOf(headers['x-request-id'] as string);
    expect(line).toMatchObject({ level: 'info', method: 'other', route: 'unmatched', status: 400, errno: 107 });
  });

  it('of a load balancer for the health shows at debug only', async () => {
    await ask('GET', '/__lbheartbeat__', { 'x-request-id': 'health-1' });
    expect((await linesOf('health-1'))[0]).toMatchObject({ level: 'debug', route: '/__lbheartbeat__' });
    await ask('GET', '/v2/__version__', { 'x-request-id': 'health-2' });
    expect((await linesOf('health-2'))[0]).toMatchObject({ level: 'debug', route: '/v2/__version__' });
  });
});

describe('the request id', () => {
  it('that was sent comes back', async () => {
    expect((await ask('GET', '/v2/articles', { 'x-request-id': 'a-b.c:1' })).headers.get('x-request-id')).toBe(
      'a-b.c:1',
    );
  });

  it('is made when none was sent, on errors too', async () => {
    expect((await ask('GET', '/v2/articles')).headers.get('x-request-id')).toMatch(UUID);
    expect((await ask('PUT', '/v2/articles')).headers.get('x-request-id')).toMatch(UUID);
  });

  it.each(['', 'a'.repeat(65), 'a b', 'a\tb', 'x"y', 'a\nb', 'é'])('%j is replaced', (sent) => {
    expect(requestIdOf(sent)).toMatch(UUID);
  });
});

describe('a batch', () => {
  it('is logged entry by entry, with one id for all', async () => {
    const answer = await ask(
      'POST',
      '/v2/batch',
      { 'x-request-id': 'batch-1', authorization: `Bearer ${token}` },
      {
        defaults: { headers: { 'X-Secret': 'secret-in-header' } },
        requests: [
          { method: 'GET', path: '/articles?title=secret-in-query' },
          { method: 'GET', path: '/articles/secret-in-path' },
        ],
      },
    );
    expect(answer.status).toBe(200);
    const lines = await linesOf('batch-1', 3);
    expect(lines.map(({ route, status, batchEntry }) => [route, status, batchEntry])).toEqual([
      ['/v2/articles', 200, true],
      ['/v2/articles/:id', 404, true],
      ['/v2/batch', 200, undefined],
    ]);
    expect(new Set(lines.map(({ user }) => user)).size).toBe(1);
    const [list, read, batch] = lines.map(({ sql }) => Number(sql));
    expect(batch).toBe(list! + read!);
  });
});

describe('the log', () => {
  it('never has tokens, passwords, bodies, addresses of articles or query strings', async () => {
    const secret = 'secret-in-header';
    await ask('POST', '/v2/articles', {}, '{"url": "secret-in-body');
    await ask('POST', '/v2/articles', {}, { url: 'secret-in-body', title: 'secret-in-body', added_by: 'x' });
    await ask('GET', '/v2/articles?secret-in-query=secret-in-query');
    await ask('GET', '/v2/articles?_token=secret-in-query');
    await ask('GET', `/v2/articles`, { authorization: `Bearer ${token}x` });
    await ask('GET', `/v2/articles`, { authorization: `Bearer ${secret}`, cookie: `a=${secret}` });
    await ask('GET', `/v2/articles`, { authorization: secret, 'if-unmodified-since': secret, referer: secret });
    await ask('GET', `/v2/acct-oauth/login?redirect=http://secret.example/`);
    await ask('GET', `/v2/acct-oauth/token?code=secret-in-query&state=secret-in-query`, { cookie: `a=${secret}` });
    await ask('GET', '/__version__', { 'x-request-id': 'last' });
    await linesOf('last');
    const output = service.output();
    for (const text of [...SECRETS, 'secret-client', token, token.slice(-20), basic.slice(6)])
      expect(output).not.toContain(text);
  });

  it('has no line for requests when its level is above them', async () => {
    const quiet = await startService({ DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'warn' });
    await fetch(`${quiet.url}/v2/articles`, { headers: { authorization: basic } });
    await quiet.stop();
    expect(quiet.output()).not.toContain('requestId');
  });

  it('is written to its end when the service stops', async () => {
    const short = await startService({ DATABASE_URL: 'sqlite::memory:', LOG_LEVEL: 'info' });
    const headers = { authorization: basic, 'x-request-id': 'the-last', connection: 'close' };
    await fetch(`${short.url}/v2/articles`, { headers });
    await short.stop();
    expect(short.output()).toMatch(/"requestId":"the-last".*"sql":\d/);
  });
});

it.each<[string, Record<string, string>, string[]]>([
  [
    'a short secret, without showing it, a proxy that anybody can be, and a message without its date',
    { USER_ID_SECRET: 's3cr3t', TRUST_PROXY: 'true', EOS_MESSAGE: 'Bye' },
    [
      'EOS_DATE: without it, EOS_MESSAGE and EOS_URL have no effect',
      'TRUST_PROXY: true believes what any client says about its address; name the proxies instead',
      'USER_ID_SECRET has fewer than 32 characters; production refuses it, and it cannot change once there are users',
    ],
  ],
  [
    'users who cannot sign in, and a date that is over',
    {
      ...{ BASIC_AUTH_ENABLED: 'false', TOKENS_ENABLED: 'false', EOS_DATE: '2020-01-01' },
      ...{ NODE_ENV: 'production', MIGRATE_ON_START: 'true' },
    },
    [
      'EOS_DATE has passed, so requests are refused with 410',
      'TOKENS_ENABLED: nobody can sign in, as BASIC_AUTH_ENABLED and OAUTH_URI are off too; turn one of them on',
    ],
  ],
  ['nothing without a reason', {}, []],
])('warns of %s', async (_, settings, texts) => {
  const secrets = { USER_ID_SECRET: 'u'.repeat(32), SESSION_SECRET: 's'.repeat(32), PUBLIC_URL: 'https://x.example' };
  const other = await startService({ LOG_LEVEL: 'warn', ...secrets, ...settings });
  onTestFinished(() => other.kill());
  const warnings = await entriesOf(other, ({ context }) => context === 'Settings', texts.length);
  expect(warnings.map(({ msg }) => msg as string).sort()).toEqual(texts);
  expect(warnings.map(({ level }) => level)).toEqual(texts.map(() => 'warn'));
});

it('says why a request failed, in the line of the request', async () => {
  const database = sqliteFile();
  const broken = await startService({ DATABASE_URL: database.url, LOG_LEVEL: 'error' });
  const file = new Sqlite(database.url.slice('sqlite:'.length), { timeout: 5000 });
  file.exec('ALTER TABLE articles RENAME COLUMN excerpt TO gone');
  file.close();
  const headers = { authorization: basic, 'x-request-id': 'defect-1' };
  expect((await fetch(`${broken.url}/v2/articles`, { headers })).status).toBe(500);
  expect(await entriesOf(broken, ({ requestId }) => requestId === 'defect-1', 1)).toMatchObject([
    {
      level: 'error',
      status: 500,
      errno: 999,
      error: expect.stringContaining('excerpt'),
      stack: expect.stringContaining('.ts:'),
    },
  ]);
  await broken.stop();
  await database.drop();
});
