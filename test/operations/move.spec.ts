import { createHash, randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { fullState, send } from '../support/devices.js';
import { startMysql } from '../support/servers/mysql.js';
import { startService } from '../support/service.js';
import { sqliteFile } from './backends.js';
import { mustRun, mustRunHere } from './run-command.js';

const USERS = ['alice', 'bob'];
/** Of each user: many chunks of an import, and many pages. */
const ARTICLES = 1_000;
const START = Date.UTC(2026, 0, 1);

/** A list as `user export` writes it: every tenth record is a tombstone. */
function exported(user: string): string {
  const account = createHash('sha256').update(user).digest('hex').slice(0, 32);
  const lines = Array.from({ length: ARTICLES }, (_, at) => {
    const [id, last_modified] = [randomUUID(), START + at];
    if (at % 10 === 0) return { id, last_modified, deleted: true };
    const article = { url: `https://example.com/${at}`, title: `Title ${at} 😀`, added_by: 'laptop', added_on: at };
    return { id, last_modified, ...article, stored_on: START, unread: at % 3 > 0, excerpt: 'x'.repeat(at % 500) };
  });
  const head = { account, last_modified: START + ARTICLES + 5, purged_until: 7 };
  return [head, ...lines].map((line) => JSON.stringify(line)).join('\n');
}

it('SQLite moves to MySQL with export and import: 2,000 articles, the same records and timestamps', async () => {
  const [file, server] = [sqliteFile(), await startMysql()];
  const from = { DATABASE_URL: file.url, BASIC_PASSWORD: 'secret' };
  const to = { DATABASE_URL: await server.createDatabase('reading_list'), BASIC_PASSWORD: 'secret' };
  await mustRunHere(['migrate'], from);
  for (const user of USERS) await mustRunHere(['user', 'import', '-', '--basic', user], from, exported(user));
  const old = await startService(from);
  const states = await Promise.all(USERS.map((user) => fullState(old.url, user)));
  expect(states.map(({ size }) => size)).toEqual([ARTICLES, ARTICLES]);
  await old.stop();

  const everything = await mustRun(['user', 'export', '--all'], from);
  await mustRunHere(['migrate'], to);
  expect(await mustRun(['user', 'import', '-'], to, everything)).toMatch(
    /^imported 2000 .* 2 users, 0 were already there/,
  );
  expect(await mustRunHere(['doctor'], to)).toMatch(/^2 users examined, 0 problems/);
  expect(await mustRunHere(['user', 'export', '--all'], to)).toBe(everything);

  const moved = await startService(to);
  for (const [at, user] of USERS.entries()) {
    expect(await fullState(moved.url, user)).toEqual(states[at]);
    const { headers } = await send(moved.url, user, 'HEAD', '/articles');
    expect(headers.get('last-modified')).toBe(String(START + ARTICLES + 5));
    expect(headers.get('total-records')).toBe('900');
  }
  await moved.kill();
  await server.remove();
  await file.drop();
}, 240_000);
