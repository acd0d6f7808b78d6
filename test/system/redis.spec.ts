import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startDevelopmentProvider } from '../../dev/provider.js';
import { type Answer, send } from '../support/devices.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { findFreePort } from '../support/servers/free-port.js';
import { startRedis } from '../support/servers/redis.js';
import { type Service, startService } from '../support/service.js';

const LIMIT = 6;

let database: Awaited<ReturnType<typeof startMariaDb>>;
let redis: Awaited<ReturnType<typeof startRedis>>;
let services: Service[];
let user: string;
let metricsPort: number;

beforeAll(async () => {
  [database, redis] = await Promise.all([startMariaDb(), startRedis()]);
  const settings = {
    DATABASE_URL: await database.createDatabase('reading_list'),
    MIGRATE_ON_START: 'true',
    REDIS_URL: redis.url,
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
  };
  metricsPort = await findFreePort();
  services = [await startService({ ...settings, METRICS_PORT: String(metricsPort) }), await startService(settings)];
  await connected();
});

afterAll(async () => {
  for (const service of services) await service.kill();
  await Promise.all([database.remove(), redis.remove()]);
});

beforeEach(() => {
  user = randomUUID();
});

/** Asks the instances in turn. */
async function ask(times: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let turn = 0; turn < times; turn++)
    answers.push(await send(services[turn % services.length]!.url, user, 'GET', '/articles'));
  return answers;
}

const statusesOf = (answers: Answer[]): number[] => answers.map(({ status }) => status);
interface Cache {
  cache: boolean;
}

/** What the metrics say of Redis. */
async function figure(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^reading_list_redis_up (\d)$/m.exec(text)![1]);
}

/** The checks of the heartbeat are shared for two seconds. */
const SHARED = { timeout: 15_000 };

const health = async (service = services[0]!): Promise<unknown> => (await fetch(`${service.url}/__heartbeat__`)).json();

/** Resolves when every instance has found Redis, each by itself. */
async function connected(instances = services): Promise<void> {
  for (const end = Date.now() + 15_000; Date.now() < end; await sleep(100)) {
    const all = (await Promise.all(instances.map(health))) as Cache[];
    if (all.every(({ cache }) => cache)) return;
  }
  throw new Error('Redis was not found again');
}

it('counts the requests of a user on all instances together', async () => {
  const answers = await ask(LIMIT + 2);
  expect(statusesOf(answers)).toEqual([...Array<number>(LIMIT).fill(200), 429, 429]);
  const refused = answers.at(-1)!;
  expect(refused.body.errno).toBe(117);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(await health()).toEqual({ database: true, cache: true });
});

it('counts locally, at full speed, while Redis is gone, and shares again once it is back', async () => {
  await ask(1);
  await redis.kill();
  const start = performance.now();
  expect(statusesOf(await ask(LIMIT))).toEqual(Array<number>(LIMIT).fill(200));
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(statusesOf(await ask(2 * LIMIT))).toContain(429);
  await expect.poll(() => health(), SHARED).toMatchObject({ database: true, cache: false, errno: 201 });
  await redis.start();
  await connected();
  user = randomUUID();
  expect(statusesOf(await ask(LIMIT + 1)).at(-1)).toBe(429);
});

it('pays once for a Redis that hangs, says so everywhere, and shares again once it goes on', async () => {
  const before = await figure();
  redis.signal('SIGSTOP');
  try {
    await ask(2);
    for (const end = Date.now() + 15_000; Date.now() < end && (await figure()) === 1;) await ask(2);
    expect([before, await figure()]).toEqual([1, 0]);
    await expect.poll(() => health(), SHARED).toMatchObject({ database: true, cache: false });
    user = randomUUID();
    const slow = [];
    for (let turn = 0; turn < 30; turn++) {
      const start = performance.now();
      const { status } = await send(services[0]!.url, randomUUID(), 'GET', '/articles');
      if (performance.now() - start >= 240 || status !== 200) slow.push(status);
    }
    // Each would pay a quarter of a second; a busy machine may be slow now and then.
    expect(slow.length).toBeLessThan(20);
  } finally {
    redis.signal('SIGCONT');
  }
  await connected();
  expect(await figure()).toBe(1);
  user = randomUUID();
  expect(statusesOf(await ask(LIMIT + 1)).at(-1)).toBe(429);
});

it('finds a Redis that hung for long without growing', { timeout: 60_000 }, async () => {
  redis.signal('SIGSTOP');
  await sleep(12_000);
  redis.signal('SIGCONT');
  await connected();
  expect(await figure()).toBe(1);
});

it('goes on while Redis has no memory left', async () => {
  const full = await startRedis({ extraFlags: ['--maxmemory', '1', '--maxmemory-policy', 'noeviction'] });
  const service = await startService({
    DATABASE_URL: 'sqlite::memory:',
    REDIS_URL: full.url,
    RATE_LIMIT_PER_MINUTE: '3',
  });
  try {
    const statuses = [];
    for (let turn = 0; turn < 4; turn++) statuses.push((await send(service.url, user, 'GET', '/articles')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  } finally {
    await service.kill();
    await full.remove();
  }
});

it('shares what one instance learned about a token, so that another needs no provider', async () => {
  const provider = await startDevelopmentProvider({ port: 0 });
  const settings = {
    DATABASE_URL: await database.createDatabase('tokens'),
    MIGRATE_ON_START: 'true',
    OAUTH_URI: provider.issuer,
  };
  const first = await startService({ ...settings, REDIS_URL: redis.url });
  const second = await startService({ ...settings, REDIS_URL: redis.url });
  const alone = await startService(settings);
  await connected([first, second]);
  try {
    const authorization = `Bearer ${await provider.issue(user)}`;
    const read = (service: Service) => send(service.url, '', 'GET', '/articles', undefined, { authorization });
    expect((await read(first)).status).toBe(200);
    await provider.close();
    expect((await read(second)).status).toBe(200);
    expect([(await read(alone)).status, (await read(alone)).body.errno]).toEqual([503, 201]);
    await redis.kill();
    expect((await read(second)).status).toBe(200);
    await redis.start();
  } finally {
    for (const service of [first, second, alone]) await service.kill();
  }
});
