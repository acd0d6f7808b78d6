import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql, { type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { mustRunHere } from '../operations/run-command.js';
import { anArticle } from '../support/article.js';
import { type Answer, fullState, send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { COMMIT_REQUEST, startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.js';
import { type Service, startService } from '../support/service.js';
import { inBackground, until } from '../support/waiting.js';

const ANSWER_LIMIT_MS = 10_000;
const RECOVERY_LIMIT_MS = 15_000;

let server: Awaited<ReturnType<typeof startMariaDb>>;
let proxy: TcpProxy;
let service: Service;
let user: string;

beforeAll(async () => {
  server = await startMariaDb({ durable: true });
  await server.createDatabase('reading_list');
  await runSql(server.url(), "CREATE USER app@'%' IDENTIFIED BY 'pw'", "GRANT ALL ON reading_list.* TO app@'%'");
  proxy = await startTcpProxy(server.port);
  service = await startService(settings());
});

afterAll(async () => {
  await service.kill();
  await proxy.close();
  await server.remove();
});

beforeEach(() => {
  user = randomUUID();
});

afterEach(async () => {
  await proxy.restore();
  await recovered();
});

const settings = () => ({
  DATABASE_URL: `mysql://app:pw@127.0.0.1:${proxy.port}/reading_list`,
  DATABASE_POOL_SIZE: '5',
  MIGRATE_ON_START: 'true',
});
const create = (body: object = anArticle(), base = service.url) => send(base, user, 'POST', '/articles', body);

async function timed(request: Promise<Answer>): Promise<Answer & { ms: number }> {
  const start = performance.now();
  const answer = await request;
  return { ...answer, ms: performance.now() - start };
}

function expectUnavailable(answer: Answer & { ms: number }): void {
  expect(answer.status).toBe(503);
  expect(answer.body.errno).toBe(201);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(answer.ms).toBeLessThan(ANSWER_LIMIT_MS);
}

async function recovered(base = service.url): Promise<void> {
  for (const end = Date.now() + RECOVERY_LIMIT_MS; ; await sleep(50)) {
    const answer = await send(base, 'probe', 'POST', '/articles', anArticle());
    if (answer.status === 201) return;
    expect(Date.now()).toBeLessThan(end);
  }
}

it('starts without the database, answers 503 and serves once it is there', async () => {
  await proxy.refuse();
  const late = await startService(settings());
  try {
    expectUnavailable(await timed(create(anArticle(), late.url)));
    const heartbeat = await fetch(`${late.url}/__heartbeat__`);
    expect([heartbeat.status, await heartbeat.json()]).toMatchObject([503, { database: false, errno: 201 }]);
    await proxy.restore();
    await recovered(late.url);
  } finally {
    await late.kill();
  }
});

it('starts while the network swallows everything, and serves once it no longer does', async () => {
  proxy.hang();
  const late = await startService(settings());
  try {
    expectUnavailable(await timed(create(anArticle(), late.url)));
    await proxy.restore();
    await recovered(late.url);
  } finally {
    await late.kill();
  }
});

it('answers 503 in time while connections are refused', async () => {
  await proxy.refuse();
  expectUnavailable(await timed(create()));
  expectUnavailable(await timed(send(service.url, user, 'GET', '/articles')));
});

it.each([
  ['GET', '/articles'],
  ['POST', '/articles'],
  ['DELETE', '/articles'],
])('answers a batch that begins with %s %s 503 as a whole while connections are refused', async (method, path) => {
  const token = await mustRunHere(['token', 'create', user, '--name', 'phone', '--quiet'], settings());
  const bearer = { authorization: `Bearer ${token.trim()}` };
  const requests = [
    { method, path, body: anArticle() },
    { method: 'GET', path: '/articles' },
  ];
  const batch = () => timed(send(service.url, user, 'POST', '/batch', { requests }, bearer));
  expect((await batch()).status).toBe(200);
  await proxy.refuse();
  expectUnavailable(await batch());
});

it('answers 503 in time while the network swallows everything', async () => {
  await create();
  proxy.hang();
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, turn) => timed(turn % 2 ? create() : send(service.url, user, 'GET', '/articles'))),
  );
  answers.forEach(expectUnavailable);
});

it('answers 503 in time while the server is stopped, and health checks within seconds', async () => {
  await create();
  server.signal('SIGSTOP');
  await sleep(50);
  try {
    const health = timed(send(service.url, user, 'GET', '/__heartbeat__'));
    expectUnavailable(await timed(create()));
    expect((await health).body).toMatchObject({ database: false, code: 503, errno: 201 });
    expect((await health).ms).toBeLessThan(4_000);
  } finally {
    server.signal('SIGCONT');
  }
});

it('keeps every acknowledged write when the server is killed under load, and stores none twice', async () => {
  const acknowledged = new Map<string, number>();
  const bodies = new Map<string, number>();
  let running = true;
  const writer = async () => {
    while (running) {
      const body = anArticle();
      const answer = await create(body);
      if (answer.status === 201) acknowledged.set(answer.body.id, answer.body.last_modified);
      else expect(answer.status).toBe(503);
      bodies.set(body.url, answer.status);
    }
  };
  const writers = inBackground(Array.from({ length: 8 }, writer));
  for (let round = 1; round <= 3; round++) {
    await sleep(400);
    await until(() => acknowledged.size > 17 * round);
    await server.kill();
    await sleep(100);
    await server.start();
    await recovered();
  }
  running = false;
  await writers;
  const truth = await fullState(service.url, user);
  expect(acknowledged.size).toBeGreaterThan(50);
  for (const [id, last_modified] of acknowledged) expect(truth.get(id)?.last_modified).toBe(last_modified);
  const urls = [...truth.values()].map((item) => item.url);
  expect(new Set(urls).size).toBe(urls.length);
});

it.each(['POST', 'PATCH', 'DELETE', 'DELETE all'] as const)(
  'answers a %s as done, and does it once, when the reply to its COMMIT is lost',
  async (operation) => {
    const before = (await create()).body;
    void proxy.cutAfterRequest(COMMIT_REQUEST);
    const condition = { 'if-unmodified-since': String(before.last_modified) };
    const path = operation === 'POST' || operation === 'DELETE all' ? '/articles' : `/articles/${before.id}`;
    const body = { POST: anArticle(), PATCH: { title: 'changed' }, DELETE: undefined, 'DELETE all': undefined }[
      operation
    ];
    const answer = await send(service.url, user, operation.split(' ')[0]!, path, body, condition);
    expect(answer.status).toBe(operation === 'POST' ? 201 : 200);
    const truth = await fullState(service.url, user);
    const stored = answer.body.items?.[0] ?? answer.body;
    expect(truth.get(stored.id)).toEqual(stored);
    expect(truth.size).toBe(operation === 'POST' ? 2 : 1);
  },
);

it('does a POST whose COMMIT never arrived again, and stores it once', async () => {
  void proxy.cutBeforeRequest(COMMIT_REQUEST);
  const answer = await create();
  expect(answer.status).toBe(201);
  expect([...(await fullState(service.url, user)).values()]).toEqual([answer.body]);
});

it('reads but does not write while the server is read-only', async () => {
  const { body } = await create();
  await runSql(server.url(), 'SET GLOBAL read_only = 1');
  try {
    const heartbeat = await fetch(`${service.url}/__heartbeat__`);
    expect([heartbeat.status, await heartbeat.json()]).toMatchObject([503, { database: false, errno: 201 }]);
    expectUnavailable(await timed(create()));
    expect((await send(service.url, user, 'GET', `/articles/${body.id}`)).body).toEqual(body);
  } finally {
    await runSql(server.url(), 'SET GLOBAL read_only = 0');
  }
});

it('answers 503 in time while somebody else holds the lock of the account, and others are served', async () => {
  await create();
  const blocker = await mysql.createConnection(server.url('reading_list'));
  const [[last]] = await blocker.query<RowDataPacket[]>(
    'SELECT account FROM accounts ORDER BY last_modified DESC LIMIT 1',
  );
  await blocker.query('START TRANSACTION');
  await blocker.query('UPDATE accounts SET live_count = live_count WHERE account = ?', [last!.account]);
  try {
    const waiting = timed(create());
    const other = send(service.url, randomUUID(), 'POST', '/articles', anArticle());
    expect(await Promise.race([waiting.then(() => 'waits'), other.then(() => 'other')])).toBe('other');
    expect((await other).status).toBe(201);
    expectUnavailable(await waiting);
  } finally {
    await blocker.end();
  }
});

it('answers 503 in time while the server has no connection left', async () => {
  await runSql(server.url(), 'SET GLOBAL max_connections = 10');
  const held = [];
  try {
    proxy.cut();
    await proxy.restore();
    for (let n = 0; n < 10; n++) held.push(await mysql.createConnection(server.url()).catch(() => undefined));
    const answer = await timed(create());
    expectUnavailable(answer);
  } finally {
    for (const connection of held) connection?.destroy();
    await sleep(100);
    await runSql(server.url(), 'SET GLOBAL max_connections = 500');
  }
});

it('gives a killed query another try', async () => {
  const ids = await runSql(server.url(), "SELECT id FROM information_schema.processlist WHERE user = 'app'");
  for (const { id } of ids) await runSql(server.url(), `KILL ${Number(id)}`).catch(() => undefined);
  expect((await create()).status).toBe(201);
});
