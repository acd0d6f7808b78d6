import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
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
    /^DATABASE_URL: \d+ pending migration\(s\); run "npm run migrate" or set MIGRATE_ON_START=true\n$/,
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
  expect(await migrate(url.replace(/empty_\d+/, 'absent'))).toMatchObject({ status: 1 });
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
  await migrate(url);
  await runSql(url, "DELETE FROM migrations WHERE name LIKE 'CreateArticles%'");
  expect(await migrate(url)).toMatchObject({ status: 0, output: expect.stringMatching(/^done: CreateArticles/) });
});
