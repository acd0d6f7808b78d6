import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSeeder, type Seeder } from '../../bench/seed.js';
import { accountKey } from '../../src/auth/caller.js';
import { anArticle } from '../support/article.js';
import { fullState, send } from '../support/devices.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { type Service, startService } from '../support/service.js';

const SECRET = 'a-secret-of-these-tests-with-enough-characters';
const SOMEBODY_ELSE_MS = 1_000;

/** Databases by their name: the URL of a new one, and how it goes away. */
const DATABASES: Record<string, () => Promise<{ url: string; remove: () => unknown }>> = {
  SQLite: () => {
    const folder = mkdtempSync(join(tmpdir(), 'reading-list-'));
    return Promise.resolve({
      url: `sqlite:${join(folder, 'file.sqlite')}`,
      remove: () => rmSync(folder, { recursive: true }),
    });
  },
  MariaDB: async () => {
    const server = await startMariaDb();
    return { url: await server.createDatabase('large'), remove: () => server.remove() };
  },
};

describe.each(Object.keys(DATABASES))('on %s, a user with many articles', (name) => {
  let database: Awaited<ReturnType<(typeof DATABASES)[string]>>;
  let service: Service;
  let seeder: Seeder;
  const other = randomUUID();

  beforeAll(async () => {
    database = await DATABASES[name]!();
    service = await startService({ DATABASE_URL: database.url, MIGRATE_ON_START: 'true', USER_ID_SECRET: SECRET });
    seeder = await openSeeder(database.url);
    await send(service.url, other, 'POST', '/articles', anArticle());
  });

  afterAll(async () => {
    await seeder.close();
    await service.kill();
    await database.remove();
  });

  const userWith = async (count: number): Promise<string> => {
    const user = randomUUID();
    const account = accountKey(SECRET, 'basic', [user, 'secret']).toString('hex');
    await seeder.articles({ account, to: count });
    await seeder.settle();
    return user;
  };

  /** One user for all cases that change nothing. */
  let reader: Promise<string> | undefined;
  const readerOfMany = () => (reader ??= userWith(60_000));

  /** The longest that anybody else waited for a health check, a list or a write meanwhile. */
  async function longestWaitDuring(work: Promise<unknown>): Promise<number> {
    let isOver = false;
    void work.finally(() => (isOver = true)).catch(() => undefined);
    let longest = 0;
    const ask = async (request: () => Promise<{ status: number }>) => {
      const start = performance.now();
      expect((await request()).status).toBeLessThan(300);
      longest = Math.max(longest, performance.now() - start);
    };
    while (!isOver) {
      await ask(() => fetch(`${service.url}/__lbheartbeat__`));
      await ask(() => send(service.url, other, 'GET', '/articles?_limit=5'));
      await ask(() => send(service.url, other, 'POST', '/articles', anArticle()));
      await sleep(20);
    }
    await work;
    return longest;
  }

  it.each([7_000, 25_000])('deletes %i of them and holds up nobody', { timeout: 180_000 }, async (count) => {
    const user = await userWith(count);
    const before = await send(service.url, user, 'HEAD', '/articles');
    const deleting = send(service.url, user, 'DELETE', '/articles');
    const created = (await send(service.url, user, 'POST', '/articles', anArticle())).body;
    const longest = await longestWaitDuring(deleting);
    const { status, body } = await deleting;
    expect(status).toBe(200);
    expect(body.items.length).toBeGreaterThanOrEqual(count);
    const times = body.items.map(({ last_modified }) => last_modified);
    expect(new Set(times).size).toBe(times.length);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(Number(before.headers.get('last-modified')));
    expect(longest).toBeLessThan(SOMEBODY_ELSE_MS);
    const left = await send(service.url, user, 'GET', '/articles');
    expect(left.headers.get('total-records')).toBe(String(left.body.items.length));
    expect(left.body.items.filter(({ id }) => id !== created.id)).toEqual([]);
    expect(body.items.length + left.body.items.length).toBe(count + 1);
  });

  it.each([
    ['sorts by excerpt and title', '_sort=excerpt,title'],
    ['sorts deltas', '_since=5&_sort=-resolved_title,url'],
    ['filters', Array.from({ length: 30 }, (_, at) => `not_excerpt=x${at}`).join('&')],
    ['counts', 'min_title=A&max_excerpt=zz&gt_url=h&not_title=q'],
  ])('%s and holds up nobody', { timeout: 180_000 }, async (_, query) => {
    const user = await readerOfMany();
    const listing = Promise.all(
      ['GET', 'HEAD', 'GET'].map((method) => send(service.url, user, method, `/articles?${query}`)),
    );
    expect(await longestWaitDuring(listing)).toBeLessThan(SOMEBODY_ELSE_MS);
    for (const { status } of await listing) expect([200, 503]).toContain(status);
    expect((await send(service.url, user, 'HEAD', `/articles?${query}`)).headers.get('total-records')).toBe('60000');
  });

  it('keeps what another device changes while it deletes, so that it does not match any more', async () => {
    const user = await userWith(3_000);
    const { body } = await send(service.url, user, 'GET', '/articles?favorite=false&_limit=50');
    const deleting = send(service.url, user, 'DELETE', '/articles?favorite=false');
    const patched: string[] = [];
    for (const { id } of body.items) {
      const { status } = await send(service.url, user, 'PATCH', `/articles/${id}`, { favorite: true });
      expect([200, 404]).toContain(status);
      if (status === 200) patched.push(id);
    }
    const deleted = new Set((await deleting).body.items.map(({ id }) => id));
    const state = await fullState(service.url, user);
    for (const id of patched) expect([deleted.has(id), state.get(id)?.favorite]).toEqual([false, true]);
    for (const item of state.values()) if (!item.deleted) expect(item.favorite).toBe(true);
  });
});
