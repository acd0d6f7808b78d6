import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSeeder } from '../../bench/seed.js';
import { accountKey } from '../../src/auth/caller.js';
import { type CommandResult, runCommand } from '../operations/run-command.js';
import { anArticle } from '../support/article.js';
import { fullState, type Item, Poller, send } from '../support/devices.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.js';
import { type Service, startService } from '../support/service.js';

/** Ten chunks. */
const PURGEABLE = 2_000;
const LIVE = 50;
/** Each way to the database: the purge takes seconds then, and many polls are between two statements when a chunk goes. */
const DELAY_MS = 30;
/** How many deletions a device asks for at once. */
const FEW = 5;
/** What devices have seen: up to tombstones amid chunks and at their ends, to the last that is purged, and beyond. */
const SEEN = [...Array.from({ length: 16 }, (_, at) => 124 + 125 * at), PURGEABLE + 1];

let server: Awaited<ReturnType<typeof startMariaDb>>;
let proxy: TcpProxy;
let settings: Record<string, string>;
let services: Service[];
let bases: string[];
const user = randomUUID();
/** A device that polls all the time. */
let present: Poller;
/** Oldest first: those to purge and, after them, some of today. */
let tombstones: Item[];
/** Articles that have not changed for longer than the retention. */
let live: Item[];
/** `during`: from the first answer that says to start over until both purges have ended. */
let phase: 'before' | 'during' | 'after' = 'before';

beforeAll(async () => {
  server = await startMariaDb();
  const databaseUrl = await server.createDatabase('reading_list');
  proxy = await startTcpProxy(server.port);
  settings = { DATABASE_URL: `mysql://root@127.0.0.1:${proxy.port}/reading_list`, USER_ID_SECRET: 'of this test' };
  const more = { MIGRATE_ON_START: 'true', PAGE_SIZE: '1000', DATABASE_POOL_SIZE: '20' };
  services = await Promise.all([1, 2].map(() => startService({ ...settings, ...more })));
  bases = services.map(({ url }) => url);
  present = new Poller(bases, user, 1000);
  await furnish(databaseUrl);
});

afterAll(async () => {
  for (const service of services) await service.kill();
  await proxy.close();
  await server.remove();
});

async function furnish(databaseUrl: string): Promise<void> {
  const seeder = await openSeeder(databaseUrl);
  const account = accountKey(settings.USER_ID_SECRET!, 'basic', [user, 'secret']).toString('hex');
  await seeder.articles({ account, to: LIVE, tombstones: PURGEABLE });
  await seeder.close();
  for (let made = 0; made < 2 * FEW; made++) await create(bases[0]!);
  await send(bases[0]!, user, 'DELETE', '/articles?added_by=test');
  await present.poll();
  const items = [...present.items.values()].sort((a, b) => a.last_modified - b.last_modified);
  tombstones = items.filter(({ deleted }) => deleted);
  live = items.filter(({ deleted }) => !deleted);
}

const create = (base: string) => send(base, user, 'POST', '/articles', anArticle({ added_by: 'test' }));

async function untilAfter(work: () => Promise<unknown>): Promise<void> {
  while (phase !== 'after') await work();
}

const writeTimes = { before: [] as number[], during: [] as number[], after: [] as number[] };
const acknowledged = new Map<string, number>();

/** Creates and deletes. */
function write(base: string): Promise<void> {
  const own: string[] = [];
  return untilAfter(async () => {
    const times = writeTimes[phase];
    const start = performance.now();
    const oldest = own.length > 1 ? own.shift() : undefined;
    const answer = await (oldest ? send(base, user, 'DELETE', `/articles/${oldest}`) : create(base));
    times.push(performance.now() - start);
    expect(answer.status).toBe(oldest ? 200 : 201);
    acknowledged.set(answer.body.id, answer.body.last_modified);
    if (!oldest) own.push(answer.body.id);
  });
}

/**
 * Asks for the next few deletions until it is told to start over, or the purges have ended. `missed` counts those that were
 * lacking in answers without the header.
 */
async function follow(seen: number): Promise<{ seen: number; missed: number; startsOver: boolean }> {
  const next = tombstones.slice(seen + 1).slice(0, FEW);
  const since = `/articles?_since=${tombstones[seen]!.last_modified}`;
  const first = `${since}&deleted=true&_sort=last_modified&_limit=${FEW}`;
  const alone = `${since}&_to=${next.at(-1)!.last_modified + 1}`;
  let missed = 0;
  for (let turn = 0; ; turn++) {
    const isLast = phase === 'after';
    const { headers, body } = await send(bases[turn % 2]!, user, 'GET', turn % 4 < 2 ? first : alone);
    const startsOver = headers.get('start-over') === 'true';
    if (startsOver && phase === 'before') phase = 'during';
    if (!startsOver) missed += next.filter(({ id }) => body.items.every((item) => item.id !== id)).length;
    if (startsOver || isLast) return { seen, missed, startsOver };
  }
}

/** What devices missed of the deletions, and lost of the articles, that came back after a time and walked through all pages. */
const returns: { missed: number; lost: number }[] = [];

async function comeBack(): Promise<void> {
  const seen = (returns.length * 250) % PURGEABLE;
  const device = new Poller(bases, user, 1000, tombstones[seen]!.last_modified);
  await device.poll();
  const untold = device.startedOver > 0 ? [] : tombstones.slice(seen + 1).filter(({ id }) => !device.items.has(id));
  const lost = live.filter(({ id }) => !device.items.has(id));
  returns.push({ missed: untold.length, lost: lost.length });
}

async function purgeTwice(): Promise<CommandResult[]> {
  while (writeTimes.before.length < 8) await sleep(20);
  const purges = [1, 2].map(() => runCommand(['purge'], { ...settings, TOMBSTONE_RETENTION_DAYS: '30' }));
  return Promise.all(purges).finally(() => (phase = 'after'));
}

describe('a purge while devices poll and write', () => {
  let ended: CommandResult[];
  let followed: Awaited<ReturnType<typeof follow>>[];
  let truth: Map<string, Item>;

  beforeAll(async () => {
    proxy.delay(DELAY_MS);
    [ended, followed] = await Promise.all([
      purgeTwice(),
      Promise.all(SEEN.map(follow)),
      untilAfter(comeBack),
      untilAfter(() => present.poll()),
      ...bases.map(write),
    ]);
    await proxy.restore();
    await present.poll();
    truth = await fullState(bases[0]!, user);
  });

  const isLive = ([, { deleted }]: [string, Item]): boolean => !deleted;

  it('is done by two processes at once, each tombstone by one of them', () => {
    expect(ended.map(({ status }) => status)).toEqual([0, 0]);
    const counts = ended.map(({ out }) => Number(/^purged (\d+) tombstones/.exec(out)?.[1]));
    expect(counts[0]! + counts[1]!).toBe(PURGEABLE);
  });

  it('tells each device to start over before it misses a deletion, and none that has seen all that go', () => {
    expect(followed).toEqual(SEEN.map((seen) => ({ seen, missed: 0, startsOver: seen < PURGEABLE - 1 })));
  });

  it('leaves devices in step that come back and walk through many pages', () => {
    expect(returns.length).toBeGreaterThan(0);
    expect(returns).toEqual(returns.map(() => ({ missed: 0, lost: 0 })));
  });

  it('goes unnoticed by a device that polls all the time', () => {
    expect(present.startedOver).toBe(0);
    expect(present.items).toEqual(new Map([...present.items, ...truth]));
    expect([...present.items].filter(isLive).length).toBe([...truth].filter(isLive).length);
  });

  it('takes nothing but old tombstones', () => {
    for (const item of [...live, ...tombstones.slice(PURGEABLE)]) expect(truth.get(item.id)).toEqual(item);
    for (const [id, last_modified] of acknowledged) expect(truth.get(id)?.last_modified).toBe(last_modified);
    expect(truth.size).toBe(LIVE + tombstones.length - PURGEABLE + acknowledged.size);
  });

  it('lets writers go on about as fast as before it', () => {
    const [before, during] = [writeTimes.before, writeTimes.during].map((times) => times.sort((a, b) => a - b));
    expect(during!.length).toBeGreaterThan(4);
    expect(during!.at(Math.floor(during!.length * 0.9))).toBeLessThan(4 * before!.at(Math.floor(before!.length / 2))!);
  });
});
