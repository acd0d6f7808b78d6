import { randomUUID } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase } from '../support/database.js';
import { Poller, send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { startService, type Service } from '../support/service.js';
import { BACKENDS, mySql } from './backends.js';
import { mustRunHere, runCommand, runHere } from './run-command.js';

const DATABASES = { ...BACKENDS, MySQL: mySql };

describe.each(Object.keys(DATABASES))('the doctor on %s', (name) => {
  let database: TestDatabase;
  let service: Service;
  let settings: Record<string, string>;

  beforeAll(async () => {
    database = await DATABASES[name as keyof typeof DATABASES]();
    settings = { DATABASE_URL: database.url, BASIC_PASSWORD: 'secret' };
    service = await startService({ ...settings, MIGRATE_ON_START: 'true' });
  });

  afterAll(async () => {
    await service.kill();
    await database.drop();
  });

  async function tamper(statement: string): Promise<void> {
    if (!isSqlite()) return void (await runSql(database.url, statement));
    const file = new Sqlite(database.url.slice('sqlite:'.length), { timeout: 5000 });
    try {
      file.exec(statement);
    } finally {
      file.close();
    }
  }

  const isSqlite = () => database.url.startsWith('sqlite:');

  /** A list of three articles, one of them deleted; `of` names it in SQL. */
  async function furnish() {
    const user = randomUUID();
    const ids: string[] = [];
    for (const at of [1, 2, 3]) {
      const article = { url: `https://example.com/${at}`, title: 'T', added_by: 'x' };
      ids.push((await send(service.url, user, 'POST', '/articles', article)).body.id);
    }
    await send(service.url, user, 'DELETE', `/articles/${ids[2]}`);
    const { 1: key } = /"account":"(\w+)"/.exec((await runHere(['user', 'export', '--basic', user], settings)).out)!;
    const idOf = (at: number) => `id = x'${ids[at]!.replaceAll('-', '')}'`;
    return { user, ids, key: key!, of: `WHERE account = x'${key}'`, idOf };
  }

  const examine = (key: string, ...more: string[]) => runHere(['doctor', '--key', key, ...more], settings);

  it.each<[string, (list: Awaited<ReturnType<typeof furnish>>) => string, string]>([
    [
      'a clock behind a record',
      ({ of }) => `UPDATE accounts SET last_modified = 5 ${of}`,
      'is behind the latest record',
    ],
    [
      'a wrong count',
      ({ of }) => `UPDATE accounts SET live_count = 99 ${of}`,
      'the count of articles is 99, but there are 2',
    ],
    ['records without an account', ({ of }) => `DELETE FROM accounts ${of}`, 'there are records without an account'],
    [
      'a clock beyond 2^53',
      ({ of }) => `UPDATE accounts SET last_modified = 9007199254740993 ${of}`,
      'the clock (900719925474099',
    ],
    [
      'tombstones that are gone until after the clock',
      ({ of }) => `UPDATE accounts SET purged_until = last_modified + 86400000 ${of}`,
      'is not a timestamp at or before the clock',
    ],
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
    expect(found.out).toMatch(/\nnext: run it again with --repair\n$/);
    expect(repaired.out).toMatch(/ 1 repaired\nnext: nothing to do; devices learn what was repaired when they poll\n$/);
    expect((await examine(list.key)).out).toMatch(/ 0 problems.*\nnext: nothing to do\n$/);
    const listing = await send(service.url, list.user, 'GET', '/articles');
    expect(listing.headers.get('total-records')).toBe('2');
    const created = await send(service.url, list.user, 'POST', '/articles', {
      url: 'https://example.com/1',
      title: 'T',
      added_by: 'x',
    });
    expect(created.status).toBe(200);
    await expectUsableClock(list.user);
  });

  /** The clock goes on from the present time, whatever it was. */
  async function expectUsableClock(user: string): Promise<void> {
    const article = { url: `https://example.com/${randomUUID()}`, title: 'T', added_by: 'x' };
    const { status, body } = await send(service.url, user, 'POST', '/articles', article);
    expect(status).toBe(201);
    expect(Math.abs(body.last_modified - Date.now())).toBeLessThan(60_000);
    const since = await send(service.url, user, 'GET', `/articles?_since=${body.last_modified - 1}`);
    expect(since.body.items).toEqual([body]);
  }

  it('repairs clock, count and purged tombstones together, once each device starts over', async () => {
    const list = await furnish();
    const device = new Poller([service.url], list.user);
    await device.poll();
    await tamper(`UPDATE accounts SET last_modified = last_modified + 9007199254740995, live_count = 9 ${list.of}`);
    const { status, out } = await examine(list.key, '--repair');
    expect(out).toMatch(/ 2 problems found, 2 repaired\n/);
    expect(status).toBe(0);
    await device.poll();
    await device.poll();
    expect(device.startedOver).toBe(1);
    expect([...device.items.keys()].sort()).toEqual([...list.ids].sort());
    await expectUsableClock(list.user);
  });

  it.each([
    ['flags that are NULL', 'unread = NULL, favorite = NULL', 'favorite, unread'],
    ['a flag that is none', 'archived = 7', 'archived'],
    ['numbers out of range', 'word_count = -1, added_on = 9007199254740993', 'word_count, added_on'],
    ['a text that is missing', 'added_by = NULL', 'added_by'],
    ['a timestamp beyond 2^53', 'last_modified = 9007199254740993', 'last_modified'],
  ])('leaves to a person: %s', async (_fault, change, columns) => {
    const list = await furnish();
    await tamper(`UPDATE articles SET ${change} ${list.of} AND ${list.idOf(0)}`);
    const { status, out } = await examine(list.key, '--repair');
    expect(status).toBe(3);
    expect(out).toContain(
      `article ${list.ids[0]}: invalid values in ${columns}: delete it through the API, or restore`,
    );
    expect(out).toMatch(/\nnext: do what the lines above say, then run doctor again\n$/);
    await send(service.url, list.user, 'DELETE', `/articles/${list.ids[0]}`);
    expect((await examine(list.key)).status).toBe(0);
  });

  it.each([
    [
      'content',
      "title = 'left', word_count = 5",
      'title, word_count',
      'UPDATE articles SET title = NULL, word_count = NULL',
    ],
    ['a timestamp beyond 2^53', 'last_modified = 9007199254740995', 'last_modified', 'DELETE FROM articles'],
  ])('has a statement for a tombstone with %s', async (_fault, change, columns, statement) => {
    const list = await furnish();
    await tamper(`UPDATE articles SET ${change} ${list.of} AND ${list.idOf(2)}`);
    const { status, out } = await examine(list.key, '--repair');
    expect(status).toBe(3);
    const words = `tombstone ${list.ids[2]}: invalid values in ${columns}: restore a backup, or: ${statement} WHERE `;
    expect(out).toContain(words);
    await tamper(/ or: (.*)/.exec(out)![1]!);
    expect((await examine(list.key)).status).toBe(0);
  });

  it('has a way for an article with a hash that does not match its URL', async () => {
    const list = await furnish();
    const run = async (...words: string[]) => (await runHere(['user', ...words], settings)).out;
    const before = await run('export', '--key', list.key);
    await tamper(`UPDATE articles SET url_hash = x'${'00'.repeat(32)}' ${list.of} AND ${list.idOf(0)}`);
    const { status, out } = await examine(list.key, '--repair');
    expect(status).toBe(3);
    const words = `article ${list.ids[0]} has a hash that does not match its URL`;
    expect(out).toContain(`${words}: delete it through the API and save it again\n`);
    const file = join(mkdtempSync(join(tmpdir(), 'reading-list-')), 'export.jsonl');
    writeFileSync(file, await run('export', '--key', list.key));
    await run('erase', '--key', list.key);
    await run('import', file);
    expect((await examine(list.key)).status).toBe(0);
    expect(await run('export', '--key', list.key)).toBe(before);
  });

  it('tells which articles share a URL, where hashes are wrong', async () => {
    const list = await furnish();
    const url = "'https://example.com/1'";
    const hashes = `url_hash = x'${'01'.repeat(32)}', resolved_url_hash = x'${'02'.repeat(32)}'`;
    await tamper(`UPDATE articles SET url = ${url}, resolved_url = ${url}, ${hashes} ${list.of} AND ${list.idOf(1)}`);
    const { status, out } = await examine(list.key, '--repair');
    expect(status).toBe(3);
    expect(out).toContain(`article ${list.ids[1]} duplicates the URL of another article: delete one of them through`);
    await send(service.url, list.user, 'DELETE', `/articles/${list.ids[1]}`);
    expect((await examine(list.key)).status).toBe(0);
  });

  it.each([
    ['ix_articles_live', 'index', '(account, deleted, last_modified, unread, archived, favorite, is_article)'],
    ['uq_articles_url_hash', 'unique index', '(account, url_hash)'],
  ])('has a statement for the index %s that is missing', async (index, kind, columns) => {
    const drop = isSqlite() ? `DROP INDEX ${index}` : `DROP INDEX ${index} ON articles`;
    const statement = `CREATE ${kind.toUpperCase()} ${index} ON articles ${columns}`;
    const nobody = ['doctor', '--key', '00'.repeat(16), '--repair'];
    await tamper(drop);
    const found = await runHere(nobody, settings);
    expect(found.status).toBe(3);
    expect(found.out).toContain(`all users: the ${kind} ${index} of articles is missing: run: ${statement}\n`);
    await tamper(`CREATE INDEX ${index} ON articles (account, word_count)`);
    const other = await runHere(nobody, settings);
    expect(other.status).toBe(3);
    expect(other.out).toContain(
      `the ${kind} ${index} of articles differs from what it should be: drop it, then: ${statement}\n`,
    );
    await tamper(drop);
    await tamper(statement);
    expect(await runHere(nobody, settings)).toMatchObject({ status: 1, err: expect.stringContaining('no such user') });
  });

  it('asks for the password of a Basic user once, and says that there is no such user', async () => {
    const user = randomUUID();
    expect(
      (await send(service.url, user, 'POST', '/articles', { url: 'https://example.com/', title: 'T', added_by: 'x' }))
        .status,
    ).toBe(201);
    const examineAs = (password: string) =>
      runCommand(['doctor', '--basic', user], { DATABASE_URL: database.url }, `${password}\n`);
    expect(await examineAs('secret')).toMatchObject({ status: 0, out: expect.stringContaining('1 user examined') });
    expect(await examineAs('mistyped')).toMatchObject({
      status: 1,
      err: expect.stringContaining('there is no such user with this password'),
    });
  });

  it('finds a missing column, and examines nobody then', async () => {
    const list = await furnish();
    await tamper('ALTER TABLE articles RENAME COLUMN preview TO review');
    const { status, out } = await examine(list.key);
    expect(status).toBe(3);
    expect(out).toContain('all users: the column articles.preview is missing: restore a backup\n');
    expect(out).toMatch(/\n0 users examined.*\nnext: do what the lines above say.*; no user could be examined\n$/);
    await tamper('ALTER TABLE articles RENAME COLUMN review TO preview');
    expect((await examine(list.key)).status).toBe(0);
  });

  it('is not needed to learn why another command fails', async () => {
    await tamper('ALTER TABLE accounts RENAME COLUMN live_count TO former_count');
    const { status, err } = await runHere(['user', 'list'], settings);
    expect([status, err]).toEqual([1, 'DATABASE_URL: the column accounts.live_count is missing: restore a backup\n']);
    await tamper('ALTER TABLE accounts RENAME COLUMN former_count TO live_count');
    expect((await runHere(['user', 'list'], settings)).status).toBe(0);
  });

  it.each([
    ['tokens', 'restore a backup'],
    ['accounts', 'restore a backup'],
  ])('finds that the table %s is missing', async (table, advice) => {
    await tamper(`ALTER TABLE ${table} RENAME TO former_table`);
    const { status, out, err } = await runHere(['doctor'], settings);
    expect(status).not.toBe(0);
    expect(out + err).toContain(`the table ${table} is missing: ${advice}\n`);
    await tamper(`ALTER TABLE former_table RENAME TO ${table}`);
    expect((await runHere(['doctor', '--key', '00'.repeat(16)], settings)).out).not.toContain('missing');
  });

  it('finds a token that ends beyond all dates, which the list shows', async () => {
    await mustRunHere(['token', 'create', 'alice', '--name', 'phone'], settings);
    await tamper("UPDATE tokens SET expires_on = 8640000000000001 WHERE subject = 'alice'");
    const { out } = await runHere(['doctor'], settings);
    expect(out).toContain('the token "phone" of alice has an invalid time');
    const listed = await runHere(['token', 'list'], settings);
    expect(listed.out).toContain(' until not a time (8640000000000001)  never used\n');
    expect(listed.status).toBe(3);
    await mustRunHere(['token', 'revoke', 'alice', '--all'], settings);
  });

  it('writes nothing with --dry-run', async () => {
    const list = await furnish();
    await tamper(`UPDATE accounts SET live_count = 7 ${list.of}`);
    expect((await examine(list.key, '--repair', '--dry-run')).out).toMatch(/ 1 problem found, 0 repaired\n/);
    expect((await examine(list.key, '--repair')).out).toMatch(/ 1 problem found, 1 repaired\n/);
  });

  it('looks at all users when none is named', async () => {
    const [one, other] = [await furnish(), await furnish()];
    await tamper(`UPDATE accounts SET live_count = 7 WHERE account IN (x'${one.key}', x'${other.key}')`);
    const { out } = await runHere(['doctor', '--repair'], settings);
    expect(out).toContain(`${one.key}: the count of articles is 7`);
    expect(out).toContain(`${other.key}: the count of articles is 7`);
    expect(out).toMatch(/ 2 problems found, 2 repaired\n/);
  });

  it.each([
    ['', []],
    [', also with a time that is past', ['--to', '2026-01-31T12:00:00Z']],
  ])('advance-clocks makes devices that knew more than a restored backup start over%s', async (_, options) => {
    const { user, ids } = await furnish();
    const backup = await mustRunHere(['user', 'export', '--basic', user], settings);
    const device = new Poller([service.url], user);
    await send(service.url, user, 'PATCH', `/articles/${ids[0]}`, { title: 'lost' });
    await device.poll();
    const before = (await send(service.url, user, 'HEAD', '/articles')).headers.get('last-modified')!;
    await mustRunHere(['user', 'erase', '--basic', user], settings);
    await mustRunHere(['user', 'import', '-'], settings, backup);
    const since = () => send(service.url, user, 'GET', `/articles?_since=${before}`);
    expect((await since()).headers.get('start-over')).toBeNull();
    expect(await mustRunHere(['advance-clocks', '--dry-run'], settings)).toMatch(
      /^would advance the clocks of \d+ lists?$/m,
    );
    await mustRunHere(['advance-clocks', ...options], settings);
    const told = await since();
    expect(told.headers.get('start-over')).toBe('true');
    expect(Number(told.headers.get('last-modified'))).toBeGreaterThan(Number(before));
    const unchanged = await send(service.url, user, 'GET', '/articles', undefined, { 'if-modified-since': before });
    expect(unchanged.status).toBe(200);
    expect((await runHere(['doctor', '--basic', user], settings)).status).toBe(0);
  });
});
