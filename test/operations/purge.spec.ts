import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { PurgeSchedule } from '../../src/purge/purge-schedule.js';
import { purgeTombstones } from '../../src/purge/purge.store.js';
import { startApp, type TestApp } from '../support/app.js';
import { anArticle } from '../support/article.js';
import type { TestDatabase } from '../support/database.js';
import { send, type Answer } from '../support/devices.js';
import { startService } from '../support/service.js';
import { BACKENDS } from './backends.js';
import { mustRun, mustRunHere } from './run-command.js';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);

describe.each(Object.keys(BACKENDS))('the purge of tombstones on %s', (name) => {
  let database: TestDatabase;
  let app: TestApp;

  beforeAll(async () => {
    database = await BACKENDS[name]!();
    // The application's own purge stays off, so that it does not interfere.
    app = await startApp({}, database);
  });

  afterAll(async () => {
    await app.close();
    await database.drop();
  });

  const BEFORE = NOW - 30 * DAY_MS;

  async function purge(dryRun?: boolean) {
    let total = { accounts: 0, tombstones: 0 };
    for await (total of purgeTombstones(app.database, BEFORE, dryRun));
    return total;
  }

  const create = async (user: string): Promise<Answer['body']> => {
    const article = anArticle({ added_by: 'test' });
    return (await send(app.url, user, 'POST', '/articles', article)).body;
  };

  /** Articles deleted that many days ago; returns their tombstones. */
  async function deleted(user: string, daysAgo: number, count: number): Promise<Answer['body']['items']> {
    app.setClock(NOW - daysAgo * DAY_MS);
    const some = (first: number) => Array.from({ length: Math.min(4, count - first) }, () => create(user));
    for (let made = 0; made < count; made += 4) await Promise.all(some(made));
    const { body } = await send(app.url, user, 'DELETE', '/articles?added_by=test');
    app.setClock(NOW);
    return body.items;
  }

  const list = (user: string, query: string, method = 'GET') => send(app.url, user, method, `/articles?${query}`);
  const startsOver = async (user: string, query: string): Promise<boolean> =>
    (await list(user, query)).headers.get('start-over') === 'true';

  it('deletes the ones beyond the retention, and no others and no live article', async () => {
    const user = randomUUID();
    await deleted(user, 40, 3);
    await deleted(user, 31, 2);
    const kept = await deleted(user, 29, 2);
    app.setClock(NOW - 50 * DAY_MS);
    const live = await create(user);
    app.setClock(NOW);
    const before = await list(user, '_since=0');
    const result = await purge();
    expect(result).toEqual({ accounts: 1, tombstones: 5 });
    const after = await list(user, '_since=0');
    expect(after.body.items.map(({ id }) => id).sort()).toEqual([live.id, ...kept.map(({ id }) => id)].sort());
    expect(after.headers.get('last-modified')).toBe(before.headers.get('last-modified'));
    expect((await list(user, '')).headers.get('total-records')).toBe('1');
  });

  it('is told to devices that ask for changes since before it', async () => {
    const user = randomUUID();
    const purged = await deleted(user, 40, 3);
    await deleted(user, 5, 1);
    const horizon = Math.max(...purged.map(({ last_modified }) => last_modified));
    expect(await startsOver(user, `_since=${horizon - 1}`)).toBe(false);
    await purge();
    expect(await startsOver(user, `_since=${horizon - 1}`)).toBe(true);
    expect((await list(user, `_since=${horizon - 1}`)).body.items).toHaveLength(1);
    expect((await list(user, `_since=${horizon - 1}`, 'HEAD')).headers.get('start-over')).toBe('true');
    for (const query of [`_since=${horizon}`, '_since=0', 'unread=true', ''])
      expect(await startsOver(user, query)).toBe(false);
  });

  it('counts and changes nothing in a dry run', async () => {
    const user = randomUUID();
    await deleted(user, 40, 2);
    expect(await purge(true)).toMatchObject({ accounts: 1, tombstones: 2 });
    expect((await list(user, '_since=0')).body.items).toHaveLength(2);
    await purge();
    expect(await purge(true)).toMatchObject({ accounts: 0, tombstones: 0 });
  });

  it('may run in several processes at once, which together delete each tombstone once', async () => {
    const user = randomUUID();
    await deleted(user, 40, 450);
    const results = await Promise.all([purge(), purge()]);
    expect(results.map(({ tombstones }) => tombstones).reduce((sum, each) => sum + each)).toBe(450);
    expect((await list(user, '_since=1')).body.items).toEqual([]);
  });

  it('is also a command', async () => {
    const user = randomUUID();
    await deleted(user, 40, 2);
    const env = { DATABASE_URL: database.url, TOMBSTONE_RETENTION_DAYS: '30' };
    const expected = await mustRunHere(['purge', '--dry-run'], env);
    expect(expected).toMatch(/^would purge [1-9]\d* tombstones of [1-9]\d* users\n$/);
    expect(await mustRun(['purge'], env)).toBe(expected.replace('would purge', 'purged'));
    expect((await list(user, '_since=1')).body.items).toEqual([]);
  });

  it('lets writers of the same account go on, in chunks', async () => {
    const user = randomUUID();
    await deleted(user, 40, 900);
    let longestMs = 0;
    const purging = purge();
    for (let turn = 0; turn < 15; turn++) {
      const start = performance.now();
      expect((await create(user)).id).toBeDefined();
      longestMs = Math.max(longestMs, performance.now() - start);
    }
    expect(await purging).toMatchObject({ accounts: 1, tombstones: 900 });
    expect(longestMs).toBeLessThan(1500);
    expect((await list(user, '_since=0')).headers.get('total-records')).toBe('15');
  });

  it('goes on where it was stopped', async () => {
    const user = randomUUID();
    await deleted(user, 40, 450);
    for await (const { tombstones } of purgeTombstones(app.database, BEFORE)) if (tombstones === 200) break;
    expect(await startsOver(user, '_since=1')).toBe(true);
    expect(await purge()).toEqual({ accounts: 1, tombstones: 250 });
  });

  it('has not succeeded when the shutdown breaks it off', async () => {
    const user = randomUUID();
    await deleted(user, 40, 450);
    let now = NOW;
    const clock = () => now++;
    const settings = { ...readSettings({}), tombstoneRetentionDays: 30 };
    const schedule = new PurgeSchedule(settings, app.database, clock);
    const { lastSuccessOn } = schedule;
    const purging = schedule.purgeTombstones();
    await schedule.onApplicationShutdown();
    await purging;
    expect(schedule.lastSuccessOn).toBe(lastSuccessOn);
    expect(schedule.purged).toBeLessThan(450);
    const next = new PurgeSchedule(settings, app.database, clock);
    await next.purgeTombstones();
    expect(next.purged).toBe(450 - schedule.purged);
    expect(next.lastSuccessOn).toBeGreaterThan(lastSuccessOn);
  });

  it('runs by itself a moment after the start', async () => {
    const user = randomUUID();
    await deleted(user, 40, 2);
    const service = await startService({ DATABASE_URL: database.url, TOMBSTONE_RETENTION_DAYS: '30' });
    const left = async () => (await send(service.url, user, 'GET', '/articles?_since=1')).body.items.length;
    expect(await left()).toBe(2);
    for (const end = Date.now() + 25_000; Date.now() < end && (await left()) > 0;) await sleep(200);
    expect(await left()).toBe(0);
    expect(await service.stop()).toBe(0);
  });
});
