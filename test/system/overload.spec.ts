import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { METERED, samplesOf, scrape } from '../operations/scrape.js';
import { anArticle } from '../support/article.js';
import { type Answer, send } from '../support/devices.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.js';
import { type Service, startService } from '../support/service.js';

const POOL_SIZE = 1;
/** Each way to the database: makes the capacity small and known, whatever this machine can do beside other work. */
const DELAY_MS = 10;
const ROUND_TRIPS_OF_A_CREATE = 4;
const CAPACITY_PER_SECOND = (POOL_SIZE * 1000) / (ROUND_TRIPS_OF_A_CREATE * 2 * DELAY_MS);
const OVERLOAD_SECONDS = 6;

let server: Awaited<ReturnType<typeof startMariaDb>>;
let proxy: TcpProxy;
let service: Service;

beforeAll(async () => {
  server = await startMariaDb();
  await server.createDatabase('reading_list');
  proxy = await startTcpProxy(server.port);
  service = await startService({
    ...METERED,
    DATABASE_URL: `mysql://root@127.0.0.1:${proxy.port}/reading_list`,
    DATABASE_POOL_SIZE: String(POOL_SIZE),
    MIGRATE_ON_START: 'true',
    BACKOFF_SECONDS: '100',
    RETRY_AFTER_SECONDS: '7',
  });
});

afterAll(async () => {
  await service.kill();
  await proxy.close();
  await server.remove();
});

async function create(): Promise<Answer & { ms: number }> {
  const start = performance.now();
  const answer = await send(service.url, randomUUID(), 'POST', '/articles', anArticle());
  return { ...answer, ms: performance.now() - start };
}

/** Sends requests at a fixed rate, however slowly they are answered. */
async function offer(perSecond: number, seconds: number): Promise<(Answer & { ms: number })[]> {
  const answers: Promise<Answer & { ms: number }>[] = [];
  const start = performance.now();
  while (answers.length < perSecond * seconds) {
    const due = Math.floor(((performance.now() - start) / 1000) * perSecond);
    while (answers.length < due) answers.push(create());
    await sleep(5);
  }
  return Promise.all(answers);
}

/** How many creates a second succeed when no more are sent than there are connections. */
async function usualPerSecond(seconds: number): Promise<number> {
  let created = 0;
  const end = performance.now() + seconds * 1000;
  const client = async () => {
    while (performance.now() < end) if ((await create()).status === 201) created++;
  };
  await Promise.all(Array.from({ length: POOL_SIZE }, client));
  return created / seconds;
}

it('answers what it accepts in bounded time, refuses the rest early, and recovers, at five times its capacity', async () => {
  await create();
  proxy.delay(DELAY_MS);
  const usual = await usualPerSecond(2);
  const answers = await offer(5 * CAPACITY_PER_SECOND, OVERLOAD_SECONDS);
  const accepted = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status === 503);
  expect(accepted.length + refused.length).toBe(answers.length);
  expect(accepted.length).toBeGreaterThan(usual * OVERLOAD_SECONDS * 0.4);
  expect(refused.length).toBeGreaterThan(accepted.length);

  const times = accepted.map(({ ms }) => ms).sort((a, b) => a - b);
  expect(times.at(Math.floor(times.length * 0.99))).toBeLessThan(4_000);
  const early = refused.filter(({ ms }) => ms < 500);
  expect(early.length).toBeGreaterThan(refused.length * 0.8);
  for (const { headers, body } of refused) expect([headers.get('retry-after'), body.errno]).toEqual(['7', 201]);

  const backoffs = accepted.flatMap(({ headers }) => headers.get('backoff') ?? []).map(Number);
  expect(backoffs.length).toBeGreaterThan(accepted.length * 0.3);
  expect(Math.min(...backoffs)).toBeGreaterThanOrEqual(50);
  expect(Math.max(...backoffs)).toBeLessThanOrEqual(150);
  expect(new Set(backoffs).size).toBeGreaterThan(5);
  expect(refused.every(({ headers }) => headers.get('backoff') === null)).toBe(true);

  const again = async () => {
    const { status, headers, ms } = await create();
    return [status, headers.get('backoff'), ms < 1_000];
  };
  await expect.poll(again, { timeout: 5_000 }).toEqual([201, null, true]);
});

it('lets health checks through while it refuses requests', async () => {
  proxy.delay(DELAY_MS);
  const load = offer(5 * CAPACITY_PER_SECOND, 2);
  await sleep(1_500);
  expect((await fetch(`${service.url}/__lbheartbeat__`)).status).toBe(200);
  await load;
});

it('shows in its metrics what it refuses, who waits and how full it is, and when that is over', async () => {
  const valuesOf = async (...names: string[]) => {
    const samples = await scrape(service);
    return names.map((name) => samplesOf(samples, `reading_list_${name}`).sum);
  };
  const counts = () => valuesOf('requests_refused_total', 'errors_total{errno="201"}');
  const gauges = () => valuesOf('load_state', 'database_connections_waiting', 'requests_in_flight');
  const before = await counts();
  proxy.delay(DELAY_MS);
  let isOver = false;
  const load = offer(5 * CAPACITY_PER_SECOND, 2).finally(() => (isOver = true));
  const highest = [0, 0, 0];
  for (; !isOver; await sleep(50))
    (await gauges()).forEach((value, at) => (highest[at] = Math.max(highest[at]!, value)));
  const unavailable = (await load).filter(({ status }) => status === 503);
  const refused = unavailable.filter(({ body }) => body.message === 'Overloaded; try again later');

  expect(refused.length).toBeGreaterThan(0);
  expect(Math.min(...highest)).toBeGreaterThan(0);
  await expect.poll(gauges, { timeout: 15_000 }).toEqual([0, 0, 0]);
  const after = await counts();
  expect(after.map((count, at) => count - before[at]!)).toEqual([refused.length, unavailable.length]);
});
