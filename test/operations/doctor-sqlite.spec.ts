import { randomUUID } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import type { TestDatabase } from '../support/database.js';
import { send } from '../support/devices.js';
import { startService, type Service } from '../support/service.js';
import { sqliteFile } from './backends.js';
import { mustRunHere, runHere } from './run-command.js';

// What only SQLite keeps: values of any type in any column, and an id of any length where CHECK is off.

let database: TestDatabase;
let service: Service;
let settings: Record<string, string>;

beforeAll(async () => {
  database = sqliteFile();
  settings = { DATABASE_URL: database.url, BASIC_PASSWORD: 'secret' };
  service = await startService({ ...settings, MIGRATE_ON_START: 'true' });
});

afterAll(async () => {
  await service.kill();
  await database.drop();
});

function tamper(statement: string): void {
  const file = new Sqlite(database.url.slice('sqlite:'.length), { timeout: 5000 });
  try {
    file.pragma('ignore_check_constraints = ON');
    file.exec(statement);
  } finally {
    file.close();
  }
}

/** A list of one article; `of` names the list in SQL. */
async function furnish() {
  const user = randomUUID();
  const article = anArticle({ url: 'https://example.com/1' });
  const { id } = (await send(service.url, user, 'POST', '/articles', article)).body;
  const { 1: key } = /"account":"(\w+)"/.exec((await runHere(['user', 'export', '--basic', user], settings)).out)!;
  return { user, id, key: key!, of: `WHERE account = x'${key}'` };
}

const examine = (key: string, ...more: string[]) => runHere(['doctor', '--key', key, ...more], settings);

it.each([
  ['text in a number', "word_count = 'many', read_position = 'far'", 'word_count, read_position'],
  ['text in a flag', "unread = 'yes'", 'unread'],
  ['text in the flag of tombstones', "deleted = 'no'", 'deleted', 'or: DELETE FROM'],
  ['a fraction', 'word_count = 1.5', 'word_count'],
  ['text in a time', "added_on = 'today', stored_on = 'now'", 'added_on, stored_on'],
  ['text in the timestamp', "last_modified = 'z'", 'last_modified'],
  ['bytes in a text', "title = x'00ff', excerpt = x'00ff'", 'title, excerpt'],
  ['an address that is missing where another is', 'resolved_url = NULL', 'resolved_url'],
  ['an id that is too short', "id = x'0102'", 'id', 'or: DELETE FROM'],
  ['an id that is text', "id = 'sixteen letters!'", 'id', 'or: DELETE FROM'],
])('finds %s, and leaves it to a person', async (_what, change, columns, way = 'through the API') => {
  const list = await furnish();
  tamper(`UPDATE articles SET ${change} ${list.of}`);
  const { status, out } = await examine(list.key, '--repair');
  expect(status).toBe(3);
  const { 1: advice } = new RegExp(`: invalid values in ${columns}: (.*)\\n`).exec(out)!;
  expect(advice).toContain(way);
  if (way === 'through the API') await send(service.url, list.user, 'DELETE', `/articles/${list.id}`);
  else tamper(`${/ or: (.*)/.exec(advice!)![1]!}; UPDATE accounts SET live_count = 0 ${list.of}`);
  expect((await examine(list.key)).status).toBe(0);
});

it.each(['last_modified', 'purged_until', 'live_count'])(
  'finds and repairs text in %s of an account',
  async (column) => {
    const list = await furnish();
    tamper(`UPDATE accounts SET ${column} = 'zero' ${list.of}`);
    const found = await examine(list.key);
    expect(found.status).toBe(3);
    expect(found.out).toContain('not a number');
    expect(found.out).not.toContain('zero');
    const listed = await runHere(['user', 'list'], settings);
    const isShown = column === 'last_modified';
    expect(listed.out.includes(`${list.key}       1 not a time ("zero")\n`)).toBe(isShown);
    expect(listed.out.endsWith('some values are damaged: "doctor" says what to do\n')).toBe(isShown);
    for (const more of [[], ['--json']])
      expect((await runHere(['user', 'list', ...more], settings)).status).toBe(isShown ? 3 : 0);
    if (column === 'last_modified') {
      const { status, err } = await runHere(['advance-clocks'], settings);
      expect([status, err]).toEqual([1, expect.stringContaining('is damaged; run "doctor --repair" first')]);
    }
    expect((await examine(list.key, '--repair')).status).toBe(0);
    const { headers, body } = await send(service.url, list.user, 'GET', '/articles');
    expect(headers.get('total-records')).toBe('1');
    expect(Math.abs(Number(headers.get('last-modified')) - Date.now())).toBeLessThan(60_000);
    expect(body.items).toHaveLength(1);
  },
);

it('finds a token of which nobody can tell the end', async () => {
  await mustRunHere(['token', 'create', 'alice', '--name', 'phone'], settings);
  tamper("UPDATE tokens SET expires_on = 'tomorrow'");
  const listed = await runHere(['token', 'list'], settings);
  expect(listed.out).toMatch(
    / until not a time \("tomorrow"\) {2}never used\nsome values are damaged: "doctor" says what to do\n$/,
  );
  const lines = await runHere(['token', 'list', '--json'], settings);
  expect(JSON.parse(lines.out)).toMatchObject({ user: 'alice', expires_on: 'tomorrow' });
  expect([listed.status, lines.status]).toEqual([3, 3]);
  const { status, out } = await runHere(['doctor'], settings);
  expect(status).toBe(3);
  const { 1: command } = /: run (token revoke alice --name "phone"), and create another\n/.exec(out)!;
  await mustRunHere(command!.replaceAll('"', '').split(' '), settings);
  expect((await runHere(['doctor'], settings)).status).toBe(0);
});
