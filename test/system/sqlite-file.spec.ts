import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import { type Answer, fullState, send } from '../support/devices.js';
import { type Service, startService } from '../support/service.js';

const DEADLINE_MS = 15_000;
/** A service notices within a second; what is beyond it is a busy machine's. */
const NOTICED_MS = 5_000;

let folder: string;
let path: string;
let user: string;
let service: Service;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reading-list-'));
  path = join(folder, 'list.sqlite');
  user = randomUUID();
  service = await start();
});

afterEach(async () => {
  await service.kill();
  rmSync(folder, { recursive: true, force: true });
});

const start = (more: Record<string, string> = {}): Promise<Service> =>
  startService({ DATABASE_URL: `sqlite:${path}`, LOG_LEVEL: 'warn', ...more });

const production = {
  NODE_ENV: 'production',
  PUBLIC_URL: 'http://127.0.0.1',
  USER_ID_SECRET: 'x'.repeat(40),
  SESSION_SECRET: 'y'.repeat(40),
  BASIC_AUTH_ENABLED: 'true',
};

const create = (title = 'T') => send(service.url, user, 'POST', '/articles', anArticle({ title }));

const titles = async () => [...(await fullState(service.url, user)).values()].map(({ title }) => title).sort();

async function heartbeat(): Promise<[number, unknown]> {
  const response = await fetch(`${service.url}/__heartbeat__`);
  return [response.status, ((await response.json()) as { database: unknown }).database];
}

async function until<T>(look: () => Promise<T>, isRight: (found: T) => boolean): Promise<T> {
  for (const end = Date.now() + DEADLINE_MS; ; await sleep(50)) {
    const found = await look();
    if (isRight(found)) return found;
    if (Date.now() > end) throw new Error(`still ${JSON.stringify(found)}\n${service.output()}`);
  }
}

function expectUnavailable({ status, body }: Answer): void {
  expect([status, body.errno]).toEqual([503, 201]);
}

const removeAll = () => ['', '-wal', '-shm'].forEach((end) => rmSync(path + end, { force: true }));

async function backUp(to: string): Promise<void> {
  const handle = new Sqlite(path, { readonly: true });
  await handle.backup(to);
  handle.close();
}

/** A request to a service that may end before it responds. */
const isAcknowledged = (request: Promise<Answer>): Promise<boolean> =>
  request.then(
    ({ status }) => status < 400,
    () => false,
  );

/** Resolves once the service has ended by itself. */
async function expectEnd(moved = path, advice = 'put the right file there'): Promise<void> {
  const { exitCode } = service.process;
  const [status] = exitCode === null ? ((await once(service.process, 'exit')) as [number | null]) : [exitCode];
  expect(status).toBe(1);
  const line = `DATABASE_URL: ${moved} was removed or replaced while it was open; ${advice} and start again\n`;
  expect(service.output().split(line)).toHaveLength(2);
}

it.each([
  ['alone', () => rmSync(path)],
  ['with its log', removeAll],
])(
  'acknowledges nothing that goes to a removed file (%s), ends, and makes no new one in production',
  async (_, remove) => {
    await service.stop();
    service = await start(production);
    const backup = join(folder, 'backup');
    expect((await create('kept')).status).toBe(201);
    await backUp(backup);
    expect((await create('after the backup')).status).toBe(201);
    remove();

    expect(await isAcknowledged(create())).toBe(false);
    expect(await isAcknowledged(send(service.url, user, 'GET', '/articles'))).toBe(false);
    await expectEnd();
    await expect(start(production)).rejects.toThrow(`DATABASE_URL: ${path} does not exist or is empty; `);
    expect(readdirSync(folder)).not.toContain('list.sqlite');

    renameSync(backup, path);
    service = await start(production);
    expect((await create('after')).status).toBe(201);
    expect(await titles()).toEqual(['after', 'kept']);
    await expectIntact(2);
  },
);

it('acknowledges all of a transaction or nothing, of many that are under way while the file is removed', async () => {
  const requests = Array.from({ length: 40 }, () => create());
  await Promise.any(requests);
  const before = (await Promise.all(requests.map(isAcknowledged))).filter(Boolean).length;
  expect(before).toBe(40);
  const more = Array.from({ length: 40 }, () => isAcknowledged(create()));
  renameSync(path, `${path}.away`);
  const acknowledged = (await Promise.all(more)).filter(Boolean).length;
  await expectEnd();
  renameSync(`${path}.away`, path);
  service = await start();
  expect((await titles()).length).toBeGreaterThanOrEqual(40 + acknowledged);
});

it('serves a file that was moved over its own after the next start, whole and without the log of the former one', async () => {
  expect((await create('before the backup')).status).toBe(201);
  const backup = join(folder, 'backup');
  await backUp(backup);
  for (let n = 0; n < 20; n++) expect((await create('after the backup')).status).toBe(201);
  renameSync(backup, path);

  expect(await isAcknowledged(create())).toBe(false);
  await expectEnd();
  service = await start();
  expect(await titles()).toEqual(['before the backup']);
  expect((await create('now')).status).toBe(201);
  await expectIntact(2);
});

/** Stops the service and looks into its file. */
async function expectIntact(articles: number): Promise<void> {
  await service.stop();
  const handle = new Sqlite(path);
  expect(handle.pragma('integrity_check', { simple: true })).toBe('ok');
  expect(handle.prepare('SELECT count(*) FROM articles').pluck().get()).toBe(articles);
  handle.close();
}

it('has everything again when the file itself comes back', async () => {
  expect((await create('one')).status).toBe(201);
  expect((await create('two')).status).toBe(201);
  renameSync(path, `${path}.away`);
  expect(await isAcknowledged(create('lost'))).toBe(false);
  await expectEnd();
  renameSync(`${path}.away`, path);
  service = await start();
  expect((await titles()).filter((title) => title !== 'lost')).toEqual(['one', 'two']);
});

it.each([
  ['alone', ['-wal']],
  ['with its index', ['-wal', '-shm']],
])('loses nothing when the log is removed (%s), and ends', async (_, ends) => {
  for (const title of ['one', 'two']) expect((await create(title)).status).toBe(201);
  ends.forEach((end) => rmSync(path + end));
  expect(await isAcknowledged(create('lost'))).toBe(false);
  await expectEnd(`${path}-wal`, 'leave it to SQLite');
  service = await start();
  expect((await titles()).filter((title) => title !== 'lost')).toEqual(['one', 'two']);
  await service.stop();
  const handle = new Sqlite(path);
  expect(handle.pragma('integrity_check', { simple: true })).toBe('ok');
  handle.close();
});

it('ends within seconds when nobody asks for anything either', async () => {
  rmSync(path);
  const removed = Date.now();
  await expectEnd();
  expect(Date.now() - removed).toBeLessThan(NOTICED_MS);
});

it('answers 503 at once where the file is corrupt, says so in one line, and doctor says what to do', async () => {
  for (let n = 0; n < 60; n++) expect((await create('x'.repeat(1_000))).status).toBe(201);
  await service.stop();
  const file = openSync(path, 'r+');
  const { size } = statSync(path);
  // Nearly all of the pages behind those of the schema.
  for (let at = 4_096 * 24; at < size; at += 4_096) writeSync(file, Buffer.alloc(2_048, 0xa5), 0, 2_048, at);
  closeSync(file);
  service = await start();

  for (let n = 0; n < 5; n++) expectUnavailable(await send(service.url, user, 'GET', '/articles?_sort=title'));
  const output = await until(
    () => Promise.resolve(service.output()),
    (text) => text.includes('the database file is corrupt'),
  );
  expect(output.match(/the database file is corrupt/g)).toHaveLength(1);
  expect(output).toContain('doctor');
  expect(await heartbeat()).toEqual([503, false]);
  const command = (...words: string[]) =>
    execFileSync(process.execPath, [resolve('dist/src/commands/cli.js'), ...words], commandOptions());
  const advice = expect.stringMatching(/is corrupt.*run "restore BACKUP"/);
  expect(() => command('doctor')).toThrow(expect.objectContaining({ status: 3, stdout: advice }));
  expect(() => command('user', 'export', '--all')).toThrow(expect.objectContaining({ status: 1, stderr: advice }));
});

const commandOptions = () =>
  ({
    cwd: folder,
    env: { PATH: process.env.PATH, DATABASE_URL: `sqlite:${path}` },
    encoding: 'utf8',
    stdio: 'pipe',
  }) as const;

it('reports a file that it may not write to, until it takes a write again', async () => {
  expect((await create('kept')).status).toBe(201);
  await limitFileSize(0);
  expectUnavailable(await create());
  expect(await heartbeat()).toEqual([503, false]);
  expect(await titles()).toEqual(['kept']);
  await limitFileSize('unlimited');
  expect((await create('again')).status).toBe(201);
  // The checks of the heartbeat are shared for two seconds.
  await expect.poll(heartbeat).toEqual([200, true]);
});

it(
  'refuses writes within ten seconds, and says so, while another process keeps the write lock',
  { timeout: 60_000 },
  async () => {
    expect((await create('kept')).status).toBe(201);
    const other = new Sqlite(path);
    other.exec('BEGIN IMMEDIATE');
    const users = Array.from({ length: 4 }, () => randomUUID());
    const requests = Array.from({ length: 240 }, async (_, n) => {
      const start = performance.now();
      expectUnavailable(await send(service.url, users[n % 4]!, 'POST', '/articles', anArticle()));
      return performance.now() - start;
    });
    expect(Math.max(...(await Promise.all(requests)))).toBeLessThan(10_000);
    expect(await heartbeat()).toEqual([503, false]);
    expect(await titles()).toEqual(['kept']);

    other.exec('COMMIT');
    other.close();
    expect((await create('again')).status).toBe(201);
    await expect.poll(heartbeat).toEqual([200, true]);
  },
);

/** As a full disk: what the process would add to a file is refused. */
async function limitFileSize(bytes: number | 'unlimited'): Promise<void> {
  execFileSync('prlimit', ['--pid', String(service.process.pid), `--fsize=${bytes}:unlimited`]);
  await sleep(0);
}
