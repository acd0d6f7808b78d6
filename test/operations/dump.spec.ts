import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import type { TestDatabase } from '../support/database.js';
import { fullState, Poller, send } from '../support/devices.js';
import { startService, type Service } from '../support/service.js';
import { mariaDb, mySql } from './backends.js';
import { runHere } from './run-command.js';

/** The commands of docs/operations.md for a server: those that copy, and those that put the copy back. */
function printedCommands(): { dump: string[]; restore: string[] } {
  const page = readFileSync('docs/operations.md', 'utf8');
  const [, block] = /\*\*MySQL, MariaDB\*\*:[^]*?```sh\n([^]*?)```/.exec(page)!;
  const lines = block!.split('\n').filter((line) => /^\w/.test(line));
  const at = lines.findIndex((line) => line.startsWith('mysqldump '));
  return { dump: lines.slice(0, at + 1), restore: lines.slice(at + 1) };
}

describe.each([
  ['MariaDB', mariaDb],
  ['MySQL', mySql],
])('the documented backup of %s', (_name, start) => {
  const folder = mkdtempSync(join(tmpdir(), 'reading-list-dump-'));
  let database: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    database = await start();
    service = await startService({ DATABASE_URL: database.url, MIGRATE_ON_START: 'true' });
    const { hostname, port, username } = new URL(database.url);
    writeFileSync(join(folder, '.my.cnf'), `[client]\nhost=${hostname}\nport=${port}\nuser=${username}\n`);
  });
  afterAll(async () => {
    await service.kill();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  /** Runs a line as it is printed, as a user whose ~/.my.cnf names the server. */
  async function follow(line: string): Promise<string> {
    const command = line.replace('dist/src/commands/cli.js', resolve('dist/src/commands/cli.js'));
    const child = spawn('sh', ['-c', command], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, DATABASE_URL: database.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = once(child, 'exit') as Promise<[number | null]>;
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([line, (await exited)[0], err]).toEqual([line, 0, expect.any(String)]);
    return out;
  }

  const save = async (user: string): Promise<string> => {
    const article = anArticle({ url: `https://example.com/${randomUUID()}/ü`, title: "T 'ё' \u{1f4d6}" });
    const { status, body } = await send(service.url, user, 'POST', '/articles', article);
    expect(status).toBe(201);
    return body.id;
  };

  it('holds all that was answered before, while a writer goes on, and devices start over', async () => {
    const { dump, restore } = printedCommands();
    const before: string[] = [];
    for (let made = 0; made < 30; made++) before.push(await save('alice'));
    let isDumped = false;
    let during = 0;
    const writer = (async () => {
      while (!isDumped) {
        const id = await save('alice');
        if (during++ % 2) await send(service.url, 'alice', 'DELETE', `/articles/${id}`);
      }
    })();
    for (const line of dump) await follow(line);
    isDumped = true;
    await writer;
    expect(during).toBeGreaterThan(0);

    const lost = await save('alice');
    const bases = [service.url];
    const device = new Poller(bases, 'alice');
    await device.poll();
    expect(device.items.has(lost)).toBe(true);
    const seen = Math.max(...[...device.items.values()].map((item) => item.last_modified));
    await service.stop();

    const said = [];
    for (const line of restore) said.push(await follow(line));
    expect(said.join('')).toContain('advanced the clocks of 1 list\n');
    expect(await runHere(['doctor'], { DATABASE_URL: database.url })).toMatchObject({
      status: 0,
      out: expect.stringContaining('1 user examined, 0 problems found') as string,
    });

    service = await startService({ DATABASE_URL: database.url });
    bases[0] = service.url;
    const state = await fullState(service.url, 'alice');
    expect([...state.keys()]).toEqual(expect.arrayContaining(before));
    expect(state.has(lost)).toBe(false);
    await device.poll();
    expect(device.startedOver).toBe(1);
    expect(device.items).toEqual(state);
    const { body } = await send(service.url, 'alice', 'GET', `/articles/${await save('alice')}`);
    expect(body).toMatchObject({ title: "T 'ё' \u{1f4d6}" });
    expect(body.last_modified).toBeGreaterThan(seen);
  }, 120_000);
});
