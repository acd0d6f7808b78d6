import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fullState, send } from '../support/devices.js';
import { findFreePort } from '../support/servers/free-port.js';
import { startGalera } from '../support/servers/galera.js';
import { galeraBalancerConfig } from '../support/servers/haproxy-config.js';
import { type Haproxy, startHaproxy } from '../support/servers/haproxy.js';
import { type Service, startService } from '../support/service.js';

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
  balanced = await startService({ ...settings, DATABASE_URL: `mysql://root@127.0.0.1:${port}/reading_list` });
  direct = [];
  for (const node of cluster.nodes)
    direct.push(await startService({ ...settings, DATABASE_URL: node.url('reading_list') }));
});

afterAll(async () => {
  for (const service of [...direct, balanced]) await service.kill();
  await haproxy.remove();
  await cluster.stop();
});

const article = () => ({ url: `https://example.com/${randomUUID()}`, title: 'T', added_by: 'test' });

it('reads on every node what another one acknowledged', async () => {
  const user = randomUUID();
  for (let turn = 0; turn < 120; turn++) {
    const writer = direct[turn % 3]!.url;
    const reader = direct[(turn + 1) % 3]!.url;
    const seen = (await send(reader, user, 'HEAD', '/articles')).headers.get('last-modified')!;
    const { body } = await send(writer, user, 'POST', '/articles', article());
    const poll = await send(reader, user, 'GET', `/articles?_since=${seen}`, undefined, { 'if-modified-since': seen });
    expect(poll.status).toBe(200);
    expect(poll.body.items).toEqual([body]);
  }
});

it('loses nothing that it acknowledged when the node that takes the writes is killed', async () => {
  const user = randomUUID();
  const acknowledged = new Map<string, number>();
  let running = true;
  const writer = async () => {
    while (running) {
      const start = performance.now();
      const answer = await send(balanced.url, user, 'POST', '/articles', article());
      expect(performance.now() - start).toBeLessThan(10_000);
      if (answer.status === 201) acknowledged.set(answer.body.id, answer.body.last_modified);
      else expect(answer.status).toBe(503);
    }
  };
  const writers = Array.from({ length: 6 }, writer);
  await sleep(1_000);
  await cluster.nodes[0]!.kill();
  const atKill = acknowledged.size;
  for (const end = Date.now() + 20_000; acknowledged.size < atKill + 20 && Date.now() < end;) await sleep(100);
  await cluster.nodes[0]!.start();
  await sleep(1_000);
  running = false;
  await Promise.all(writers);
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
    const answer = await send(direct[0]!.url, user, 'POST', '/articles', article());
    expect([answer.status, answer.body.errno]).toEqual([503, 201]);
    expect(performance.now() - start).toBeLessThan(10_000);
  } finally {
    await cluster.nodes[0]!.kill();
    await Promise.all(cluster.nodes.map((node) => node.start()));
  }
  for (const end = Date.now() + 15_000; ; await sleep(200)) {
    if ((await send(direct[0]!.url, user, 'POST', '/articles', article())).status === 201) break;
    expect(Date.now()).toBeLessThan(end);
  }
});
