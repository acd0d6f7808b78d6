import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mustRunHere } from '../operations/run-command.js';
import { send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { runService, startService } from '../support/service.js';

let server: Awaited<ReturnType<typeof startMariaDb>>;
let count = 0;

beforeAll(async () => {
  server = await startMariaDb();
});
afterAll(() => server.remove());

/** The same in this process, where the process is not the point; it must succeed. */
const migrateHere = (DATABASE_URL: string): Promise<string> => mustRunHere(['migrate'], { DATABASE_URL });

const emptyDatabase = () => server.createDatabase(`empty_${++count}`);

/** Runs the migration command; resolves with its exit status and output. */
const migrate = (url: string, ...options: string[]): Promise<{ status: number; output: string }> =>
  new Promise((done) => {
    const arguments_ = [resolve('dist/src/migrate.js'), ...options];
    const environment = { PATH: process.env.PATH, DATABASE_URL: url };
    execFile(
      process.execPath,
      arguments_,
      { cwd: mkdtempSync(join(tmpdir(), 'x-')), env: environment },
      (error, out, err) => done({ status: error ? Number(error.code) : 0, output: out + err }),
    );
  });

it('refuses to serve a server database whose migrations are pending, with one line that says what to do', async () => {
  const { status, output } = await runService({ DATABASE_URL: await emptyDatabase() });
  expect(status).toBe(1);
  expect(output).toMatch(
    /^DATABASE_URL: migrations are pending \(\d+\); run "npm run migrate" or set MIGRATE_ON_START=true\n$/,
  );
});

it('says what is pending, runs it, and says that nothing is left', async () => {
  const url = await emptyDatabase();
  expect(await migrate(url, '--check')).toMatchObject({
    status: 3,
    output: expect.stringMatching(/^pending: CreateAccounts/),
  });
  expect(await migrate(url)).toMatchObject({ status: 0, output: expect.stringMatching(/^done: CreateAccounts/) });
  expect(await migrate(url, '--check')).toEqual({ status: 0, output: 'up to date\n' });
  expect((await migrate(url, '--wrong')).status).toBe(2);
  const created = { status: 0, output: expect.stringMatching(/^done: CreateAccounts/) };
  expect(await migrate(url.replace(/empty_\d+/, 'absent'))).toMatchObject(created);
});

it('lets several instances start at once on an empty database, each of which then serves', async () => {
  const DATABASE_URL = await emptyDatabase();
  const services = await Promise.all(
    Array.from({ length: 4 }, () => startService({ DATABASE_URL, MIGRATE_ON_START: 'true' })),
  );
  for (const service of services) expect((await send(service.url, 'me', 'GET', '/articles')).status).toBe(200);
  const applied = await runSql(DATABASE_URL, 'SELECT name FROM migrations');
  expect(new Set(applied.map(({ name }) => name)).size).toBe(applied.length);
  await Promise.all(services.map((service) => service.kill()));
});

it('lets several instances start at once on one new SQLite file', async () => {
  const DATABASE_URL = `sqlite:${join(mkdtempSync(join(tmpdir(), 'x-')), 'folder/new.sqlite')}`;
  const services = await Promise.all(Array.from({ length: 4 }, () => startService({ DATABASE_URL })));
  for (const service of services) expect((await send(service.url, 'me', 'GET', '/articles')).status).toBe(200);
  await Promise.all(services.map((service) => service.kill()));
});

it('goes on after a migration that was cut off half-way', async () => {
  const url = await emptyDatabase();
  await migrateHere(url);
  await runSql(url, "DELETE FROM migrations WHERE name LIKE 'CreateArticles%'");
  expect(await migrateHere(url)).toMatch(/^done: CreateArticles/);
});

it('runs every migration again without an error: where it was cut off is not known', async () => {
  const url = await emptyDatabase();
  const output = await migrateHere(url);
  for (const database of [url, `sqlite:${join(mkdtempSync(join(tmpdir(), 'x-')), 'again.sqlite')}`]) {
    await migrateHere(database);
    if (database === url) await runSql(url, 'DELETE FROM migrations');
    else new Database(database.replace('sqlite:', '')).exec('DELETE FROM migrations').close();
    expect(await migrateHere(database)).toBe(output);
  }
});

describe('the migration that cuts excerpts', () => {
  const emptyFile = () => Promise.resolve(`sqlite:${join(mkdtempSync(join(tmpdir(), 'x-')), 'long.sqlite')}`);
  const runOnFile = (url: string, sql: string): Promise<unknown> => {
    const file = new Database(url.replace('sqlite:', ''));
    const statement = file.prepare(sql);
    const rows = statement.reader ? statement.all() : statement.run();
    file.close();
    return Promise.resolve(rows);
  };
  const key = (value: number) => `x'${Buffer.alloc(16, value).toString('hex')}'`;

  it.each([
    ['MariaDB', emptyDatabase, runSql, 'CHAR_LENGTH', (length: number) => `REPEAT('😀', ${length})`],
    ['SQLite', emptyFile, runOnFile, 'LENGTH', (length: number) => `REPLACE(HEX(ZEROBLOB(${length})), '00', '😀')`],
  ])('leaves short ones and all timestamps alone on %s', async (_, create, run, lengthOf, text) => {
    const url = await create();
    await migrateHere(url);
    const rows = Array.from({ length: 250 }, (_, id) => {
      const length = id % 2 === 0 ? 16_000 : 16_001;
      return `(${key(id % 3)}, ${key(id)}, ${id}, 0, ${text(length)})`;
    });
    await run(url, `INSERT INTO articles (account, id, last_modified, deleted, excerpt) VALUES ${rows.join(', ')}`);
    await run(url, "DELETE FROM migrations WHERE name LIKE 'CutExcerpts%'");
    expect(await migrateHere(url)).toMatch(/^done: CutExcerpts/);
    const found = (await run(
      url,
      `SELECT COUNT(*) AS count, MIN(${lengthOf}(excerpt)) AS least, MAX(${lengthOf}(excerpt)) AS most,
         SUM(last_modified) AS times FROM articles WHERE excerpt = ${text(16_000)}`,
    )) as Record<string, unknown>[];
    const numbers = Object.entries(found[0]!).map(([name, value]) => [name, Number(value)]);
    expect(Object.fromEntries(numbers)).toEqual({ count: 250, least: 16_000, most: 16_000, times: (249 * 250) / 2 });
  });
});
