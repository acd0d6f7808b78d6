import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { send } from '../support/devices.js';
import { startRedis } from '../support/servers/redis.js';
import { startRedisSentinels } from '../support/servers/redis-sentinel.js';
import { runService, type Service, startService } from '../support/service.js';

const LIMIT = 4;
const DEADLINE_MS = 20_000;

async function start(redisUrl: string): Promise<Service> {
  const service = await startService({
    DATABASE_URL: 'sqlite::memory:',
    REDIS_URL: redisUrl,
    RATE_LIMIT_PER_MINUTE: String(LIMIT),
  });
  onTestFinished(() => service.kill());
  return service;
}

const cacheOf = async ({ url }: Service): Promise<boolean> =>
  ((await (await fetch(`${url}/__heartbeat__`)).json()) as { cache: boolean }).cache;

/** Whether a new user's requests to the two services are counted together. */
async function isShared(one: Service, two: Service): Promise<boolean> {
  const user = randomUUID();
  const statuses: number[] = [];
  for (let turn = 0; turn <= LIMIT; turn++)
    statuses.push((await send((turn % 2 ? two : one).url, user, 'GET', '/articles')).status);
  return statuses.at(-1) === 429;
}

it(
  'shares through the master that Sentinels name, and through its successor after a failover',
  { timeout: 120_000 },
  async () => {
    const sentinels = await startRedisSentinels();
    onTestFinished(() => sentinels.remove());
    const [one, two] = [await start(sentinels.url), await start(sentinels.url)];
    await expect.poll(() => Promise.all([one, two].map(cacheOf)), { timeout: DEADLINE_MS }).toEqual([true, true]);
    expect(await isShared(one, two)).toBe(true);
    await expect.poll(() => sentinels.canFailOver(), { timeout: 30_000 }).toBe(true);

    await sentinels.master.kill();
    const killed = performance.now();
    const statuses = [];
    for (let turn = 0; turn < 10; turn++) statuses.push((await send(one.url, randomUUID(), 'GET', '/articles')).status);
    expect(statuses).toEqual(Array<number>(10).fill(200));
    expect(performance.now() - killed).toBeLessThan(5_000);
    await expect.poll(() => Promise.all([one, two].map(cacheOf)), { timeout: DEADLINE_MS }).toEqual([true, true]);
    await expect.poll(() => isShared(one, two), { timeout: DEADLINE_MS }).toBe(true);
  },
);

it.each([
  [
    'a Redis Cluster',
    ['--cluster-enabled', 'yes'],
    'Redis Cluster is not supported, nor needed for the little that is kept there; name a single Redis, or Sentinels',
  ],
  [
    'a Sentinel in the place of a Redis',
    undefined,
    'this server is a Sentinel; write redis-sentinel://HOST:PORT/MASTER',
  ],
])('refuses %s at the start, in one line', async (_, extraFlags, reason) => {
  let url: string;
  if (extraFlags) {
    const redis = await startRedis({ extraFlags });
    onTestFinished(() => redis.remove());
    url = redis.url;
  } else {
    const sentinels = await startRedisSentinels();
    onTestFinished(() => sentinels.remove());
    url = `redis://127.0.0.1:${sentinels.sentinelPorts[0]}`;
  }
  const { status, output } = await runService({ DATABASE_URL: 'sqlite::memory:', REDIS_URL: url });
  expect([status, output]).toEqual([1, `REDIS_URL: ${reason}\n`]);
});

it.each(['redis://', 'redis-sentinel://'])('starts while what %s names hangs or is away', async (scheme) => {
  const redis = await startRedis();
  onTestFinished(() => redis.remove());
  redis.signal('SIGSTOP');
  const name = scheme === 'redis://' ? '' : '/mymaster';
  for (const host of [`127.0.0.1:${redis.port}`, '127.0.0.1:1']) {
    const service = await start(scheme + host + name);
    expect((await send(service.url, randomUUID(), 'GET', '/articles')).status).toBe(200);
    expect(await cacheOf(service)).toBe(false);
  }
  redis.signal('SIGCONT');
});
