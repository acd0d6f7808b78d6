import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import { fullState, Poller, send } from '../support/devices.js';
import { findFreePort } from '../support/servers/free-port.js';
import { type ReplicationGroup, startGroup } from '../support/servers/group-replication.js';
import { groupBalancerConfig } from '../support/servers/haproxy-config.js';
import { type Haproxy, startHaproxy } from '../support/servers/haproxy.js';
import { type Service, startService } from '../support/service.js';

/** Three servers and the checks of the balancer take their time on a busy machine. */
const LONG = { timeout: 180_000 };

/** A group with one primary, which HAProxy asks for; two instances of the service behind it. */
let group: ReplicationGroup;
let haproxy: Haproxy;
let services: Service[];

beforeAll(async () => {
  group = await startGroup();
  await group.nodes[0]!.createDatabase('reading_list');
  const ports = group.nodes.map(({ port }) => port);
  haproxy = await startHaproxy(groupBalancerConfig(ports, await findFreePort()));
  const settings = {
    DATABASE_URL: `mysql://root@127.0.0.1:${haproxy.port}/reading_list`,
    MIGRATE_ON_START: 'true',
    LOG_LEVEL: 'error',
  };
  services = [await startService(settings), await startService(settings)];
});

afterAll(async () => {
  for (const service of services ?? []) await service.kill();
  await haproxy?.remove();
  await group?.stop();
});

const base = (turn: number): string => services[turn % services.length]!.url;

/**
 * Writes and polls while `event` happens and until everything works again. Each write is acknowledged or refused with
 * 503 within ten seconds, and what was acknowledged is there; pollers miss nothing; of two conditional writes only one
 * wins.
 */
async function whileDevicesWork(event: () => Promise<unknown>): Promise<void> {
  const user = randomUUID();
  const acknowledged = new Map<string, number>();
  let running = true;
  const whileRunning = async (work: (turn: number) => Promise<unknown>) => {
    for (let turn = 0; running; turn++) await work(turn);
  };
  const timed = async (...request: Parameters<typeof send>) => {
    const start = performance.now();
    const answer = await send(...request);
    expect(performance.now() - start).toBeLessThan(10_000);
    expect([200, 201, 304, 404, 412, 503]).toContain(answer.status);
    return answer;
  };
  const write = async (turn: number) => {
    const answer = await timed(base(turn), user, 'POST', '/articles', anArticle());
    if (answer.status === 201) acknowledged.set(answer.body.id, answer.body.last_modified);
    else await sleep(50);
  };
  const compete = async (turn: number) => {
    const created = await timed(base(turn), user, 'POST', '/articles', anArticle());
    if (created.status !== 201) return sleep(50);
    const { id, last_modified } = created.body;
    const patch = (at: number) => {
      const condition = { 'if-unmodified-since': String(last_modified) };
      return timed(base(at), user, 'PATCH', `/articles/${id}`, { title: `by ${at}` }, condition);
    };
    const won = (await Promise.all([patch(0), patch(1)])).filter(({ status }) => status === 200);
    expect(won.length).toBeLessThanOrEqual(1);
    acknowledged.set(id, won[0]?.body.last_modified ?? last_modified);
  };
  const device = new Poller([base(0), base(1)], user);
  const poll = () =>
    device.poll().then(
      () => sleep(20),
      () => sleep(50),
    );
  const work = [whileRunning(write), whileRunning(write), whileRunning(compete), whileRunning(poll)];
  try {
    await sleep(500);
    await event();
    const before = acknowledged.size;
    for (const end = Date.now() + 60_000; acknowledged.size < before + 20; await sleep(50))
      expect(Date.now(), 'writes succeed again').toBeLessThan(end);
  } finally {
    running = false;
    await Promise.all(work);
  }
  await device.poll();
  const truth = await fullState(base(0), user);
  expect(new Map([...device.items].filter(([, { deleted }]) => !deleted))).toEqual(truth);
  for (const [id, last_modified] of acknowledged)
    expect(truth.get(id)?.last_modified).toBeGreaterThanOrEqual(last_modified);
  const times = [...truth.values()].map((item) => item.last_modified);
  expect(new Set(times).size).toBe(times.length);
  for (const service of services) expect(service.output()).not.toContain('"level":"error"');
}

const other = async () => {
  const primary = await group.primary();
  return group.nodes.find((node) => node !== primary && node.pid !== undefined)!;
};

it('a planned switch of the primary loses nothing', LONG, async () => {
  await whileDevicesWork(async () => group.switchTo(await other()));
});

it('a planned switch that ends running transactions after its limit loses nothing', LONG, async () => {
  await whileDevicesWork(async () => group.switchTo(await other(), 1));
});

it('a primary that is killed loses nothing, though its successor has a backlog to apply first', LONG, async () => {
  const primary = (await group.primary())!;
  const survivors = group.nodes.filter((node) => node !== primary);
  // A global read lock holds what the other nodes would apply.
  const locks = await Promise.all(survivors.map((node) => createConnection(node.url())));
  try {
    await whileDevicesWork(async () => {
      for (const lock of locks) await lock.query('FLUSH TABLES WITH READ LOCK');
      await sleep(1_000);
      await primary.kill();
      await sleep(2_000);
      for (const lock of locks) lock.destroy();
    });
  } finally {
    for (const lock of locks) lock.destroy();
    await primary.start();
    await group.rejoin(primary);
  }
});

it('a node without a majority serves nothing stale', LONG, async () => {
  const user = randomUUID();
  const created = await send(base(0), user, 'POST', '/articles', anArticle());
  expect(created.status).toBe(201);
  const primary = (await group.primary())!;
  const lost = group.nodes.filter((node) => node !== primary);
  await Promise.all(lost.map((node) => node.kill()));
  const seen = `n${group.nodes.indexOf(primary) + 1}`;
  await expect
    .poll(async () => (await haproxy.statisticsOf('database', seen)).status, { timeout: 45_000 })
    .toMatch(/^DOWN/);
  const start = performance.now();
  const answers = await Promise.all([
    send(base(0), user, 'POST', '/articles', anArticle()),
    send(base(1), user, 'GET', '/articles', undefined, { 'if-modified-since': String(created.body.last_modified) }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect(performance.now() - start).toBeLessThan(10_000);
});
