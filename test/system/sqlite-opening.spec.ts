import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runService, startService } from '../support/service.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'opening-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file that only the operator can put right ends the start at once, with one line', () => {
  it.each([
    [
      'whose folder is a file',
      () => {
        writeFileSync(join(folder, 'data'), '');
        return join(folder, 'data', 'list.sqlite');
      },
    ],
    [
      'that is a folder',
      () => {
        mkdirSync(join(folder, 'list.sqlite'));
        return join(folder, 'list.sqlite');
      },
    ],
    [
      'that is no database',
      () => {
        writeFileSync(join(folder, 'list.sqlite'), 'no database at all, but long enough for its header'.repeat(40));
        return join(folder, 'list.sqlite');
      },
    ],
  ])('%s', async (_, prepared) => {
    const { status, output } = await runService({ DATABASE_URL: `sqlite:${prepared()}`, MIGRATE_ON_START: 'true' });
    expect(status).toBe(1);
    expect(output.trim().split('\n')).toEqual([expect.stringContaining('DATABASE_URL: cannot be opened')]);
  });
});

it('a file that another process holds locked is waited for', async () => {
  const file = join(folder, 'list.sqlite');
  const other = new Sqlite(file);
  other.pragma('journal_mode = WAL');
  other.exec('BEGIN IMMEDIATE; CREATE TABLE held (x)');
  const service = await startService({ DATABASE_URL: `sqlite:${file}`, MIGRATE_ON_START: 'true' });
  onTestFinished(() => service.kill());
  const answered = async () => (await fetch(`${service.url}/__heartbeat__`)).status;
  expect(await answered()).toBe(503);
  const delays: number[] = [];
  for (let look = 0; look < 40; look++) {
    const start = performance.now();
    await fetch(`${service.url}/__lbheartbeat__`);
    delays.push(performance.now() - start);
    await sleep(25);
  }
  // SQLite's own wait would stop the process for 200 ms of 250.
  expect(delays.filter((delay) => delay > 100).length).toBeLessThan(4);
  other.exec('ROLLBACK');
  await expect.poll(answered, { timeout: 10_000 }).toBe(200);
  other.close();
});
