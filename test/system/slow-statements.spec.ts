import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { mustRunHere } from '../operations/run-command.js';
import { anArticle } from '../support/article.js';
import { type Answer, send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startTcpProxy } from '../support/servers/tcp-proxy.js';
import { type Service, startService } from '../support/service.js';

let server: Awaited<ReturnType<typeof startMariaDb>>;
let service: Service;

/** A service with a database of its own, in which the titles of articles say how long it takes to store them. */
async function startSlow(name: string): Promise<Service> {
  const started = await startService({ DATABASE_URL: await server.createDatabase(name), MIGRATE_ON_START: 'true' });
  await runSql(
    server.url(name),
    "CREATE TRIGGER slow BEFORE INSERT ON articles FOR EACH ROW IF NEW.title LIKE 'slow%' THEN DO SLEEP(SUBSTR(NEW.title, 6)); ELSEIF NEW.title = 'busy' THEN DO BENCHMARK(1000000000, SHA2('', 512)); END IF",
  );
  return started;
}

beforeAll(async () => {
  server = await startMariaDb();
  service = await startSlow('slow');
});

afterAll(async () => {
  await service.kill();
  await server.remove();
});

async function tokenOf(user: string, { url } = service, database = 'slow'): Promise<string> {
  const settings = { DATABASE_URL: server.url(database) };
  const token = await mustRunHere(['token', 'create', user, '--name', 'phone', '--quiet'], settings);
  const authorization = `Bearer ${token.trim()}`;
  expect((await send(url, '', 'POST', '/articles', anArticle(), { authorization })).status).toBe(201);
  return authorization;
}

/** Sends `count` creates of one user at once, and a new user's every 50 ms until they end: their answers, and the longest wait. */
async function createAtOnce(user: string, count: number, title: string) {
  let isOver = false;
  const all = Promise.all(
    Array.from({ length: count }, () => send(service.url, user, 'POST', '/articles', anArticle({ title }))),
  ).finally(() => (isOver = true));
  let longestMs = 0;
  while (!isOver) {
    const start = performance.now();
    const { status } = await send(service.url, randomUUID(), 'POST', '/articles', anArticle());
    longestMs = Math.max(longestMs, performance.now() - start);
    expect(status).toBe(201);
    await sleep(50);
  }
  return { answers: await all, longestMs };
}

it.each([
  ['one', 1, 'slow 30'],
  ['many', 25, 'slow 30'],
  ['many shorter', 40, 'slow 2'],
  ['more than the service takes at once', 450, 'slow 30'],
])('costs its own user a 503, and nobody else anything: %s', async (_, count, title) => {
  const user = randomUUID();
  // While nothing of a user is committed, InnoDB also locks the gap that the user's row would be in, and new users beside it.
  expect((await send(service.url, user, 'POST', '/articles', anArticle())).status).toBe(201);
  // So many requests take the processor's time in any case, the slow ones as much as others.
  const { longestMs: usualMs } = await createAtOnce(user, count, 'quick');
  const { answers, longestMs } = await createAtOnce(user, count, title);
  expect(longestMs).toBeLessThan(usualMs + 1_000);
  for (const { status, body } of answers) if (status !== 201) expect([status, body.errno]).toEqual([503, 201]);
});

it('is ended by the server, too, once nobody waits for it', async () => {
  const user = randomUUID();
  // A server notices by itself that nobody waits for SLEEP, but not for what computes.
  const { status } = await send(service.url, user, 'POST', '/articles', anArticle({ title: 'busy' }));
  expect(status).toBe(503);
  const running = async () =>
    (
      await runSql(
        server.url(),
        "SELECT id FROM information_schema.processlist WHERE command = 'Query' AND id <> CONNECTION_ID()",
      )
    ).length;
  await expect.poll(running).toBe(0);
});

it('keeps no lock of a user for long when an instance is stopped in a transaction', async () => {
  const user = randomUUID();
  expect((await send(service.url, user, 'POST', '/articles', anArticle())).status).toBe(201);
  const other = await startService({ DATABASE_URL: server.url('slow') });
  try {
    const article = anArticle({ title: 'slow 1' });
    const cut = send(other.url, user, 'POST', '/articles', article);
    await sleep(500);
    other.process.kill('SIGSTOP');
    const again = async () => (await send(service.url, user, 'POST', '/articles', anArticle())).status;
    await expect.poll(again, { timeout: 12_000 }).toBe(201);
    other.process.kill('SIGCONT');
    expect([201, 503]).toContain((await cut).status);
    expect([200, 201]).toContain((await send(other.url, user, 'POST', '/articles', article)).status);
    const { body } = await send(service.url, user, 'GET', '/articles');
    expect(body.items.filter(({ url }) => url === article.url)).toHaveLength(1);
  } finally {
    await other.kill();
  }
}, 30_000);

it('batches of a few users leave connections and memory for others', async () => {
  const users = await Promise.all(Array.from({ length: 4 }, () => tokenOf(randomUUID())));
  let isOver = false;
  const batches = Promise.all(
    users.flatMap((authorization) =>
      Array.from({ length: 4 }, () => {
        const body = anArticle({ title: 'slow 2' });
        const requests = [{ method: 'POST', path: '/articles', body }];
        return send(service.url, '', 'POST', '/batch', { requests }, { authorization });
      }),
    ),
  ).finally(() => (isOver = true));
  const waits: number[] = [];
  while (!isOver) {
    const start = performance.now();
    expect((await send(service.url, 'somebody else', 'GET', '/articles')).status).toBe(200);
    waits.push(performance.now() - start);
    await sleep(20);
  }
  expect(Math.max(...waits)).toBeLessThan(1_000);
  const statuses = (await batches).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(users.length);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
});

it('requests of a few users leave connections for others', async () => {
  const users = Array.from({ length: 4 }, () => randomUUID());
  for (const user of users) expect((await send(service.url, user, 'POST', '/articles', anArticle())).status).toBe(201);
  let isOver = false;
  const slow = Promise.all(
    users
      .flatMap((user) => [user, user, user, user])
      .map((user) => send(service.url, user, 'POST', '/articles', anArticle({ title: 'slow 30' }))),
  ).finally(() => (isOver = true));
  const waits: number[] = [];
  while (!isOver) {
    const user = randomUUID();
    const start = performance.now();
    expect((await send(service.url, user, 'POST', '/articles', anArticle())).status).toBe(201);
    expect((await send(service.url, user, 'HEAD', '/articles')).status).toBe(200);
    waits.push(performance.now() - start);
    await sleep(20);
  }
  expect(Math.max(...waits)).toBeLessThan(1_000);
  for (const { status, body } of await slow) expect([status, body.errno]).toEqual([503, 201]);
});

/** An article whose URL comes after another one in the index. */
function after(url: string) {
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  for (;;) {
    const article = anArticle();
    if (hash(article.url) > hash(url)) return article;
  }
}

it.each(['POST', 'PATCH'])(
  'a slow batch with a %s of a URL that is taken holds up nobody beside its user',
  async (method) => {
    const name = `beside_${randomUUID()}`;
    const fresh = await startSlow(name);
    try {
      const authorization = await tokenOf('one', fresh, name);
      const headers = { authorization };
      const { body } = await send(fresh.url, '', 'GET', '/articles', undefined, headers);
      const url = String(body.items[0]!.url);
      // The one that has the URL is the first of its user in the index.
      const { body: second } = await send(fresh.url, '', 'POST', '/articles', after(url), headers);
      const taken =
        method === 'POST'
          ? { method, path: '/articles', body: anArticle({ url }) }
          : { method, path: `/articles/${second.id}`, body: { resolved_url: url } };
      const slow = { method: 'POST', path: '/articles', body: anArticle({ title: 'slow 2' }) };
      const batch = send(fresh.url, '', 'POST', '/batch', { requests: [taken, slow] }, headers);
      await sleep(500);
      // In a gap beside the user are all new users with keys between this one's and that of the one before.
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => {
          const start = performance.now();
          const { status } = await send(fresh.url, randomUUID(), 'POST', '/articles', anArticle());
          return { status, isSoon: performance.now() - start < 1_000 };
        }),
      );
      for (const answer of answers) expect(answer).toEqual({ status: 201, isSoon: true });
      const { responses } = (await batch).body as unknown as { responses: Answer[] };
      expect(responses.map(({ status }) => status)).toEqual([method === 'POST' ? 200 : 409, 201]);
    } finally {
      await fresh.kill();
    }
  },
);

/** A service whose own database is behind a proxy, which can delay what passes; both end with the test. */
async function startDistant(name: string, variables: Record<string, string> = {}) {
  const proxy = await startTcpProxy(server.port);
  onTestFinished(() => proxy.close());
  await server.createDatabase(name);
  const DATABASE_URL = `mysql://root@127.0.0.1:${proxy.port}/${name}`;
  const distant = await startService({ DATABASE_URL, MIGRATE_ON_START: 'true', ...variables });
  onTestFinished(() => distant.kill());
  return { proxy, url: distant.url };
}

it('answers within ten seconds where each statement takes more than two', async () => {
  const { proxy, url } = await startDistant('distant', { DATABASE_POOL_SIZE: '1' });
  const user = randomUUID();
  const known = anArticle();
  const { body } = await send(url, user, 'POST', '/articles', known);
  const path = `/articles/${String(body.id)}`;
  const isBack = async () => (await send(url, user, 'GET', path)).status;
  for (const [method, target, content] of [
    ['PATCH', path, { title: 'Slow' }],
    ['POST', '/articles', anArticle()],
    ['DELETE', path, undefined],
  ] as const) {
    proxy.delay(0);
    await expect.poll(isBack, { timeout: 15_000 }).toBe(200);
    proxy.delay(1_200);
    const start = performance.now();
    const { status } = await send(url, user, method, target, content);
    expect([method, status]).toEqual([method, 503]);
    expect(performance.now() - start).toBeLessThan(10_000);
  }
  proxy.delay(0);
  await expect.poll(isBack, { timeout: 15_000 }).toBe(200);
  const { body: list } = await send(url, user, 'GET', '/articles');
  expect(list.items).toEqual([body]);
}, 90_000);

it('answers within ten seconds where each statement takes two and a request needs many of them', async () => {
  const { proxy, url } = await startDistant('far');
  const user = randomUUID();
  const articles = Array.from({ length: 3 }, () => send(url, user, 'POST', '/articles', anArticle()));
  const ids = (await Promise.all(articles)).map(({ body }) => body.id);
  proxy.delay(1_000);
  const requests = [
    [randomUUID(), 'GET', '/articles', undefined],
    [randomUUID(), 'GET', '/articles', { 'If-Modified-Since': '0' }],
    [randomUUID(), 'POST', '/articles', undefined],
    [user, 'DELETE', '/articles', undefined],
  ] as const;
  const answers = requests.map(async ([sender, method, path, headers]) => {
    const start = performance.now();
    const { status } = await send(url, sender, method, path, method === 'POST' ? anArticle() : undefined, headers);
    return [status, performance.now() - start] as const;
  });
  for (const [status, ms] of await Promise.all(answers)) {
    expect(status).toBe(503);
    expect(ms).toBeLessThan(10_000);
  }
  proxy.delay(0);
  const left = () => send(url, user, 'GET', '/articles');
  await expect.poll(async () => (await left()).status, { timeout: 15_000 }).toBe(200);
  const { body } = await left();
  expect((body.items as { id: string }[]).map(({ id }) => id).sort()).toEqual(ids.sort());
}, 60_000);

it('polls of one user leave sessions for others where the database is distant', async () => {
  const { proxy, url } = await startDistant('polled');
  const [poller, reader] = [randomUUID(), randomUUID()];
  for (const user of [poller, reader]) await send(url, user, 'POST', '/articles', anArticle());
  proxy.delay(100);
  let isOver = false;
  const unchanged = { 'If-Modified-Since': String(Date.now() + 60_000) };
  const poll = async () => {
    while (!isOver) await send(url, poller, 'GET', '/articles', undefined, unchanged);
  };
  const polls = Promise.all(Array.from({ length: 300 }, poll));
  await sleep(1_000);
  const statuses: number[] = [];
  for (const start = performance.now(); performance.now() - start < 4_000;)
    statuses.push((await send(url, reader, 'GET', '/articles?_limit=1')).status);
  isOver = true;
  await polls;
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(statuses.length).toBeGreaterThan(8);
}, 60_000);
