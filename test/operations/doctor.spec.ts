import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../support/database.js';
import { Poller, send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { startService, type Service } from '../support/service.js';
import { BACKENDS } from './backends.js';
import { mustRun, runCommand } from './run-command.js';

describe.each(Object.keys(BACKENDS))('the doctor on %s', (name) => {
  let database: TestDatabase;
  let service: Service;
  let settings: Record<string, string>;

  beforeAll(async () => {
    database = await BACKENDS[name]!();
    settings = { DATABASE_URL: database.url, BASIC_PASSWORD: 'secret' };
    service = await startService({ ...settings, MIGRATE_ON_START: 'true' });
  });

  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  async function tamper(statement: string): Promise<void> {
    if (!database.url.startsWith('sqlite:')) return void (await runSql(database.url, statement));
    const file = new Sqlite(database.url.slice('sqlite:'.length), { timeout: 5000 });
    file.exec(statement);
    file.close();
  }

  /** A list of three articles, one of them deleted; `of` names it in SQL. */
  async function furnish() {
    const user = randomUUID();
    const ids: string[] = [];
    for (const at of [1, 2, 3]) {
      const article = { url: `https://example.com/${at}`, title: 'T', added_by: 'x' };
      ids.push((await send(service.url, user, 'POST', '/articles', article)).body.id);
    }
    await send(service.url, user, 'DELETE', `/articles/${ids[2]}`);
    const { 1: key } = /"account":"(\w+)"/.exec(await mustRun(['user', 'export', '--basic', user], settings))!;
    const idOf = (at: number) => `id = x'${ids[at]!.replaceAll('-', '')}'`;
    return { user, ids, key: key!, of: `WHERE account = x'${key}'`, idOf };
  }

  const examine = (key: string, ...more: string[]) => runCommand(['doctor', '--key', key, ...more], settings);

  it.each<[string, (list: Awaited<ReturnType<typeof furnish>>) => string, string]>([
    [
      'a clock behind a record',
      ({ of }) => `UPDATE accounts SET last_modified = 5 ${of}`,
      'is behind the latest record',
    ],
    ['a wrong count', ({ of }) => `UPDATE accounts SET live_count = 99 ${of}`, '99 articles are counted, there are 2'],
    [
      'a tombstone with content',
      ({ of, idOf }) => `UPDATE articles SET title = 'left' ${of} AND ${idOf(2)}`,
      '1 tombstones still have content',
    ],
    [
      'a hash that is not of its address',
      ({ of, idOf }) => `UPDATE articles SET url_hash = x'${'00'.repeat(32)}' ${of} AND ${idOf(0)}`,
      'has a hash that is not of its address',
    ],
    ['records without an account', ({ of }) => `DELETE FROM accounts ${of}`, 'there are records without an account'],
  ])('finds and repairs %s', async (_fault, statement, words) => {
    const list = await furnish();
    expect((await examine(list.key)).status).toBe(0);
    await tamper(statement(list));
    const found = await examine(list.key);
    expect(found.status).toBe(3);
    expect(found.out).toContain(`${list.key}: `);
    expect(found.out).toContain(words);
    const repaired = await examine(list.key, '--repair');
    expect(repaired.status).toBe(0);
    expect(repaired.out).toMatch(/ 1 repaired\n$/);
    expect((await examine(list.key)).out).toMatch(/ 0 problems/);
    const listing = await send(service.url, list.user, 'GET', '/articles');
    expect(listing.headers.get('total-records')).toBe('2');
    const created = await send(service.url, list.user, 'POST', '/articles', {
      url: 'https://example.com/1',
      title: 'T',
      added_by: 'x',
    });
    expect(created.status).toBe(200);
  });

  it('says what to do about two articles with one address, and repairs neither', async () => {
    const list = await furnish();
    await tamper(`UPDATE articles SET url = 'https://example.com/1' ${list.of} AND ${list.idOf(1)}`);
    const { status, out } = await examine(list.key, '--repair');
    expect(status).toBe(3);
    expect(out).toContain(`article ${list.ids[1]} has an address that another has: delete one of them through the API`);
    await send(service.url, list.user, 'DELETE', `/articles/${list.ids[1]}`);
    expect((await examine(list.key)).status).toBe(0);
  });

  it('looks at all users when none is named', async () => {
    const [one, other] = [await furnish(), await furnish()];
    await tamper(`UPDATE accounts SET live_count = 7 WHERE account IN (x'${one.key}', x'${other.key}')`);
    const { out } = await runCommand(['doctor', '--repair'], settings);
    expect(out).toContain(`${one.key}: 7 articles`);
    expect(out).toContain(`${other.key}: 7 articles`);
    expect(out).toMatch(/ 2 problems found, 2 repaired\n$/);
  });

  it('advance-clocks makes devices that knew more than a restored backup start over', async () => {
    const { user, ids } = await furnish();
    const backup = await mustRun(['user', 'export', '--basic', user], settings);
    const device = new Poller([service.url], user);
    await send(service.url, user, 'PATCH', `/articles/${ids[0]}`, { title: 'lost' });
    await device.poll();
    const before = (await send(service.url, user, 'HEAD', '/articles')).headers.get('last-modified')!;
    await mustRun(['user', 'erase', '--basic', user], settings);
    await mustRun(['user', 'import', '-'], settings, backup);
    const since = () => send(service.url, user, 'GET', `/articles?_since=${before}`);
    expect((await since()).headers.get('start-over')).toBeNull();
    expect(await mustRun(['advance-clocks', '--dry-run'], settings)).toMatch(/^would advance the clocks of \d+ lists/);
    await mustRun(['advance-clocks'], settings);
    const told = await since();
    expect(told.headers.get('start-over')).toBe('true');
    expect(Number(told.headers.get('last-modified'))).toBeGreaterThan(Number(before));
    const unchanged = await send(service.url, user, 'GET', '/articles', undefined, { 'if-modified-since': before });
    expect(unchanged.status).toBe(200);
    expect((await runCommand(['doctor', '--basic', user], settings)).status).toBe(0);
  });
});
