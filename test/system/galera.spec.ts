import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { mustRun } from '../operations/run-command.js';
import { anArticle } from '../support/article.js';
import { fullState, Poller, send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { findFreePort } from '../support/servers/free-port.js';
import { startGalera } from '../support/servers/galera.js';
import { galeraBalancerConfig } from '../support/servers/haproxy-config.js';
import { type Haproxy, startHaproxy } from '../support/servers/haproxy.js';
import { startTcpProxy } from '../support/servers/tcp-proxy.js';
import { type Service, startService } from '../support/service.js';
import { inBackground } from '../support/waiting.js';

const DAY_MS = 86_400_000;

let cluster: Awaited<ReturnType<typeof startGalera>>;
let haproxy: Haproxy;
/** One service for each node, and one behind the balancer that follows the node that is up. */
let direct: Service[];
let balanced: Service;

beforeAll(async () => {
  cluster = await startGalera();
  await cluster.nodes[0]!.createDatabase('reading_list');
  const port = await findFreePort();
  haproxy = await startHaproxy(
    galeraBalancerConfig(
      cluster.nodes.map((node) => node.port),
      port,
    ),
  );
  const settings = { MIGRATE_ON_START: 'true' };
  const urls = cluster.nodes.map((node) => node.url('reading_list'));
  const started = [`mysql://root@127.0.0.1:${port}/reading_list`, ...urls].map((url) =>
    startService({ ...settings, DATABASE_URL: url }),
  );
  [balanced, ...direct] = (await Promise.all(started)) as [Service, ...Service[]];
});

afterAll(async () => {
  for (const service of [...(direct ?? []), balanced]) await service?.kill();
  await haproxy?.remove();
  await cluster?.stop();
});

it('is migrated once by instances that start at the same time on all nodes', async () => {
  const names = (await runSql(cluster.nodes[0]!.url('reading_list'), 'SELECT name FROM migrations')).map(
    ({ name }) => name,
  );
  expect(names.length).toBeGreaterThan(0);
  expect(names.length).toBe(new Set(names).size);
});

it('reads on every node what another one acknowledged', async () => {
  const user = randomUUID();
  for (let turn = 0; turn < 120; turn++) {
    const writer = direct[turn % 3]!.url;
    const reader = direct[(turn + 1) % 3]!.url;
    const seen = (await send(reader, user, 'HEAD', '/articles')).headers.get('last-modified')!;
    const { body } = await send(writer, user, 'POST', '/articles', anArticle());
    const poll = await send(reader, user, 'GET', `/articles?_since=${seen}`, undefined, { 'if-modified-since': seen });
    expect(poll.status).toBe(200);
    expect(poll.body.items).toEqual([body]);
  }
});

/** How many transactions of a node were undone because another node's came first. */
async function conflictsOn(node: number): Promise<number> {
  const names = "'wsrep_local_bf_aborts', 'wsrep_local_cert_failures'";
  const rows = await runSql(cluster.nodes[node]!.url(), `SHOW GLOBAL STATUS WHERE Variable_name IN (${names})`);
  return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
}

it('purges on one node while another takes writes, and tells the devices of a third', async () => {
  const user = randomUUID();
  const [writer, , reader] = direct.map(({ url }) => url) as [string, string, string];
  const create = async (base: string) => (await send(base, user, 'POST', '/articles', anArticle())).body;
  const database = { DATABASE_URL: cluster.nodes[0]!.url('reading_list') };
  const past = await startService(database, { clockSkewMs: -40 * DAY_MS });
  for (let turn = 0; turn < 45; turn++) await Promise.all(Array.from({ length: 10 }, () => create(past.url)));
  const device = new Poller([reader], user, 100);
  await device.poll();
  const deleted = (await send(past.url, user, 'DELETE', '/articles')).body.items;
  const live = [await create(past.url)];
  await past.kill();

  // A transaction that is open for long meets with the writes of the other node.
  const proxy = await startTcpProxy(cluster.nodes[1]!.port);
  onTestFinished(() => proxy.close());
  proxy.delay(50);
  const conflictsBefore = await conflictsOn(1);
  const purge = { DATABASE_URL: `mysql://root@127.0.0.1:${proxy.port}/reading_list`, TOMBSTONE_RETENTION_DAYS: '30' };
  let running = true;
  const whileRunning = async (work: () => Promise<unknown>) => {
    for (; running; await sleep(100)) await work();
  };
  const [printed] = await Promise.all([
    mustRun(['purge'], purge).finally(() => (running = false)),
    whileRunning(async () => live.push(await create(writer))),
    whileRunning(async () => {
      const late = new Poller([reader], user, 100, deleted[0]!.last_modified - 1);
      await late.poll();
      expect(late.startedOver > 0 || deleted.every(({ id }) => late.items.has(id))).toBe(true);
    }),
    whileRunning(async () => {
      if ((await conflictsOn(1)) > conflictsBefore) await proxy.restore();
    }),
  ]);
  expect(await conflictsOn(1)).toBeGreaterThan(conflictsBefore);
  expect(printed).toMatch(/^purged 450 tombstones of 1 user/);
  await device.poll();
  expect(device.startedOver).toBe(1);
  expect(device.items).toEqual(new Map(live.map((item) => [item.id, item])));
});

it('imports a file on two nodes at once, and moves the list to another user on the third', async () => {
  const databases = cluster.nodes.map((node) => ({ DATABASE_URL: node.url('reading_list') }));
  const name = randomUUID();
  const urls = Array.from({ length: 250 }, (_, n) => `https://example.com/${n}`);
  const file = ['url,title', ...urls.map((url) => `${url},T`)].join('\n');
  const printed = await Promise.all(
    databases.slice(0, 2).map((database) => mustRun(['user', 'import', '-', '--local', name], database, file)),
  );
  const imported = printed.map((text) => Number(/^imported (\d+) articles?, /.exec(text)?.[1]));
  expect(imported[0]! + imported[1]!).toBe(urls.length);

  const exportOf = async (database: object, words: string[]) =>
    (await mustRun(['user', 'export', ...words], { ...database })).trim().split('\n').slice(1);
  const before = await exportOf(databases[1]!, ['--local', name]);
  const provider = ['--subject', name, '--issuer', 'https://provider.example'];
  expect(await mustRun(['user', 'link', name, ...provider], databases[2]!)).toMatch(/^moved 250 articles/);
  expect(before.map((line) => (JSON.parse(line) as { url: string }).url).sort()).toEqual(urls.sort());
  for (const database of databases) expect(await exportOf(database, provider)).toEqual(before);
});

it('loses nothing that it acknowledged when the node that takes the writes is killed', async () => {
  const user = randomUUID();
  const acknowledged = new Map<string, number>();
  let running = true;
  const writer = async () => {
    while (running) {
      const start = performance.now();
      const answer = await send(balanced.url, user, 'POST', '/articles', anArticle());
      expect(performance.now() - start).toBeLessThan(10_000);
      if (answer.status === 201) acknowledged.set(answer.body.id, answer.body.last_modified);
      else expect(answer.status).toBe(503);
    }
  };
  const writers = inBackground(Array.from({ length: 6 }, writer));
  await sleep(1_000);
  await cluster.nodes[0]!.kill();
  const atKill = acknowledged.size;
  for (const end = Date.now() + 20_000; acknowledged.size < atKill + 20 && Date.now() < end;) await sleep(100);
  await cluster.nodes[0]!.start();
  await sleep(1_000);
  running = false;
  await writers;
  expect(acknowledged.size).toBeGreaterThanOrEqual(atKill + 20);
  const truth = await fullState(direct[1]!.url, user);
  for (const [id, last_modified] of acknowledged) expect(truth.get(id)?.last_modified).toBe(last_modified);
  const urls = [...truth.values()].map(({ url }) => url);
  expect(new Set(urls).size).toBe(urls.length);
});

it('answers 503 in time on a node without a majority, and serves again once there is one', async () => {
  const user = randomUUID();
  await Promise.all([cluster.nodes[1]!.kill(), cluster.nodes[2]!.kill()]);
  try {
    await sleep(4_500);
    const start = performance.now();
    const answer = await send(direct[0]!.url, user, 'POST', '/articles', anArticle());
    expect([answer.status, answer.body.errno]).toEqual([503, 201]);
    expect(performance.now() - start).toBeLessThan(10_000);
  } finally {
    await cluster.nodes[0]!.kill();
    await Promise.all(cluster.nodes.map((node) => node.start()));
  }
  for (const end = Date.now() + 15_000; ; await sleep(200)) {
    if ((await send(direct[0]!.url, user, 'POST', '/articles', anArticle())).status === 201) break;
    expect(Date.now()).toBeLessThan(end);
  }
});
