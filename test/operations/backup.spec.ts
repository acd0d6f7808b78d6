import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyDatabase } from '../../src/commands/backup.commands.js';
import { anArticle } from '../support/article.js';
import { send } from '../support/devices.js';
import { startService, type Service } from '../support/service.js';
import { mustRun, mustRunHere, runCommand, runHere } from './run-command.js';

let folder: string;
let settings: Record<string, string>;
let copy: string;
const services = new Set<Service>();

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reading-list-backup-'));
  settings = { DATABASE_URL: `sqlite:${join(folder, 'list.sqlite')}` };
  copy = join(folder, 'copy');
});
afterEach(async () => {
  for (const service of services) await service.kill();
  services.clear();
  rmSync(folder, { recursive: true });
});

async function start(): Promise<Service> {
  const service = await startService(settings);
  services.add(service);
  return service;
}

const save = async ({ url }: Service, user: string): Promise<string> => {
  const { status, body } = await send(url, user, 'POST', '/articles', anArticle());
  expect(status).toBe(201);
  return body.id;
};
const idsOf = async ({ url }: Service, user: string): Promise<string[]> =>
  (await send(url, user, 'GET', '/articles?_sort=added_on')).body.items.map(({ id }) => id);

it('a backup taken while the service writes holds all that was answered before', async () => {
  const service = await start();
  const before = await Promise.all(Array.from({ length: 40 }, () => save(service, 'alice')));
  const writing = Promise.all(Array.from({ length: 40 }, () => save(service, 'alice')));
  expect(await mustRun(['backup', copy], settings)).toMatch(/^backed up \d+ articles of 1 user/);
  await writing;
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy']);

  const refused = await runHere(['restore', copy], settings);
  expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('is in use; stop every service')]);

  const clock = (await send(service.url, 'alice', 'HEAD', '/articles')).headers.get('last-modified');
  await service.stop();
  const { out, audit } = await runCommand(['restore', copy], settings);
  expect(audit).toMatchObject([{ what: 'restore', whose: 'all users' }]);
  expect(out).toMatch(/^restored \d+ articles of 1 user/m);
  expect(out).toContain('0 problems found');
  expect(out).toContain('each device starts over');

  const restored = await start();
  expect(await idsOf(restored, 'alice')).toEqual(expect.arrayContaining(before));
  const delta = await send(restored.url, 'alice', 'GET', `/articles?_since=${clock}`);
  expect(delta.headers.get('start-over')).toBe('true');
});

it('a backup ends however often the service writes, and tells how far it is', async () => {
  const file = join(folder, 'list.sqlite');
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  database.exec('CREATE TABLE accounts (live_count INTEGER, last_modified INTEGER, filling TEXT)');
  const insert = database.prepare('INSERT INTO accounts VALUES (1, 1, ?)');
  const filling = 'x'.repeat(2_000);
  database.transaction(() => Array.from({ length: 1_000 }, () => insert.run(filling)))();
  let isDone = false;
  const write = (): void => {
    if (isDone) return void database.close();
    insert.run('more');
    setImmediate(write);
  };
  write();
  const told: string[] = [];
  const contents = await copyDatabase(file, copy, (text) => told.push(text)).finally(() => (isDone = true));
  expect(contents.users).toBeGreaterThan(1_000);
  expect(told.length).toBeGreaterThan(1);
  for (const text of told) expect(text).toMatch(/^copied \d+ of \d+ pages so far$/);
});

it('a restore leaves no write-ahead log of the old file, and keeps what was there', async () => {
  const first = await start();
  const id = await save(first, 'alice');
  await mustRunHere(['backup', copy], settings);
  await save(first, 'alice');
  await first.kill();
  expect(existsSync(join(folder, 'list.sqlite-wal'))).toBe(true);
  const out = await mustRunHere(['restore', copy], settings);
  const [replaced, ...more] = readdirSync(folder).filter((name) => /replaced-[^.]*\.\d+Z$/.test(name));
  expect(more).toEqual([]);
  expect(out).toContain(`the file that was there before is kept as ${join(folder, replaced!)}\n`);
  const second = await start();
  expect(await idsOf(second, 'alice')).toEqual([id]);
});

it('a restore replaces what a symbolic link leads to', async () => {
  const [link, file] = [join(folder, 'list.sqlite'), join(folder, 'elsewhere.sqlite')];
  symlinkSync(file, link);
  const first = await start();
  const id = await save(first, 'alice');
  await mustRunHere(['backup', copy], settings);
  await save(first, 'alice');
  await first.stop();
  await mustRunHere(['restore', copy], settings);
  expect(readlinkSync(link)).toBe(file);
  expect(readdirSync(folder).filter((name) => name.startsWith('elsewhere.sqlite.replaced-'))).toHaveLength(1);
  expect(await idsOf(await start(), 'alice')).toEqual([id]);
});

it('no backup takes the name of the database, or of a file beside it', async () => {
  const service = await start();
  await save(service, 'alice');
  await service.stop();
  for (const suffix of ['', '-journal', '-wal', '-shm']) {
    const file = `${join(folder, 'list.sqlite')}${suffix}`;
    const { status, err } = await runHere(['backup', file], settings);
    expect([status, err]).toEqual([1, `${file} belongs to the database; name another file\n`]);
  }
});

it('a file with another text, or with none, is not a backup, and nothing is replaced', async () => {
  const service = await start();
  const id = await save(service, 'alice');
  await service.stop();
  for (const text of ['hello', '']) {
    writeFileSync(copy, text);
    const { status, err } = await runHere(['restore', copy], settings);
    expect([status, err]).toEqual([1, `${copy} is not a database of this service; check the path\n`]);
    expect(readdirSync(folder).sort()).toEqual(['copy', 'list.sqlite']);
  }
  expect(await idsOf(await start(), 'alice')).toEqual([id]);
});

it('a backup that turns out to be unusable when its clocks are advanced replaces nothing', async () => {
  const service = await start();
  const id = await save(service, 'alice');
  await service.stop();
  const other = new Sqlite(copy);
  other.exec('CREATE TABLE accounts (live_count INTEGER, last_modified INTEGER)');
  other.close();
  const { status } = await runCommand(['restore', copy], settings);
  expect(status).toBe(1);
  expect(readdirSync(folder).sort()).toEqual(['copy', 'list.sqlite']);
  expect(await idsOf(await start(), 'alice')).toEqual([id]);
});

it('a restore in the place of a damaged file advances the clocks beyond those that can still be read', async () => {
  const file = join(folder, 'list.sqlite');
  const service = await start();
  await Promise.all(Array.from({ length: 60 }, () => save(service, 'alice')));
  await mustRunHere(['backup', copy], settings);
  await service.stop();
  const ahead = Date.now() + 86_400_000;
  const database = new Sqlite(file);
  database.exec(`PRAGMA journal_mode = DELETE; UPDATE accounts SET last_modified = ${ahead}`);
  const page = database
    .prepare("SELECT pageno FROM dbstat WHERE name = 'articles' AND pagetype = 'leaf'")
    .pluck()
    .get();
  database.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(2_048, 0xa5), 0, 2_048, (Number(page) - 1) * 4_096);
  closeSync(handle);
  await mustRunHere(['restore', copy], settings);
  const { headers } = await send((await start()).url, 'alice', 'HEAD', '/articles');
  expect(Number(headers.get('last-modified'))).toBeGreaterThan(ahead);
});

it('a backup can be read by nobody else, not even before it is complete', async () => {
  await mustRunHere(['migrate'], settings);
  const file = join(folder, 'list.sqlite');
  const database = new Sqlite(file);
  // So that the copy takes a moment.
  database.exec('CREATE TABLE ballast AS SELECT randomblob(50000000)');
  database.close();
  chmodSync(file, 0o600);
  const modes = new Set<number>();
  const watcher = watch(folder, (_, name) => {
    if (name?.startsWith('copy'))
      modes.add((statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0o600) & 0o777);
  });
  await mustRun(['backup', copy], settings);
  watcher.close();
  expect([...modes]).toEqual([0o600]);
});

it('a backup and what is restored have the permissions of the database, and its owner', async () => {
  await mustRunHere(['migrate'], settings);
  const file = join(folder, 'list.sqlite');
  const owner = process.getuid!() === 0 ? 1234 : process.getuid!();
  chownSync(file, owner, process.getgid!());
  chmodSync(file, 0o600);
  await mustRunHere(['backup', copy], settings);
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  chmodSync(copy, 0o444);
  await mustRunHere(['restore', copy], settings);
  expect([statSync(file).mode & 0o777, statSync(file).uid]).toEqual([0o600, owner]);
  rmSync(file);
  await mustRunHere(['restore', copy], settings);
  expect(statSync(file).mode & 0o777).toBe(0o644);
});

it.each([['backup'], ['restore']])('%s names the tools of MySQL', async (command) => {
  const { status, err } = await runHere([command, copy], { DATABASE_URL: 'mysql://me@127.0.0.1:1/list' });
  expect(status).toBe(1);
  expect(err).toContain('mysqldump');
});

it('a backup replaces no file', async () => {
  await mustRunHere(['migrate'], settings);
  writeFileSync(copy, 'mine');
  const { status, err } = await runHere(['backup', copy], settings);
  expect([status, err]).toEqual([1, `${copy} already exists; name a new file\n`]);
});

describe('a mistake is answered with one line that says what is wrong, and nothing is left behind', () => {
  beforeEach(async () => {
    await mustRunHere(['migrate'], settings);
    writeFileSync(join(folder, 'text'), 'no database');
    mkdirSync(join(folder, 'sub'));
  });

  const memory =
    'DATABASE_URL: this command needs a file (sqlite:PATH); for MySQL and MariaDB use mysqldump and mysql, as docs/operations.md ("Backup and restore") says';
  const look = 'check the path, and that its volume is mounted';
  it.each<[command: string, operand: string, url: string, line: string]>([
    ['backup', 'sub', 'sqlite:DIR/list.sqlite', 'DIR/sub is a folder; name a file in it'],
    [
      'backup',
      'none/copy',
      'sqlite:DIR/list.sqlite',
      `DIR/none/copy cannot be created, as DIR/none does not exist; ${look}`,
    ],
    [
      'backup',
      'text/copy',
      'sqlite:DIR/list.sqlite',
      'DIR/text/copy cannot exist, as DIR/text is not a folder; check the path',
    ],
    ['backup', 'copy', 'sqlite:DIR/sub', 'DATABASE_URL: DIR/sub is a folder; name a file in it'],
    ['backup', 'copy', 'sqlite:DIR/text', 'DIR/text is not a database of this service; check the path'],
    [
      'backup',
      'copy',
      'sqlite:DIR/text/list',
      'DATABASE_URL: DIR/text/list cannot exist, as DIR/text is not a folder; check the path',
    ],
    ['backup', 'copy', 'sqlite::memory:', memory],
    ['restore', 'copy', 'sqlite:DIR/list.sqlite', 'DIR/copy: there is no such file'],
    ['restore', 'sub', 'sqlite:DIR/list.sqlite', 'DIR/sub is a folder; name a file in it'],
    ['restore', 'list.sqlite', 'sqlite:DIR/sub', 'DATABASE_URL: DIR/sub is a folder; name a file in it'],
    [
      'restore',
      'list.sqlite',
      'sqlite:DIR/none/list',
      `DATABASE_URL: DIR/none/list cannot be created, as DIR/none does not exist; ${look}`,
    ],
    [
      'restore',
      'list.sqlite',
      'sqlite:DIR/text/list',
      'DATABASE_URL: DIR/text/list cannot exist, as DIR/text is not a folder; check the path',
    ],
    ['restore', 'copy', 'sqlite::memory:', memory],
  ])('%s %s of %s', async (command, operand, url, line) => {
    const here = (text: string) => text.replaceAll('DIR', folder);
    const { status, err } = await runHere([command, join(folder, operand)], { DATABASE_URL: here(url) });
    expect([status, err]).toEqual([1, `${here(line)}\n`]);
    expect(readdirSync(folder).sort()).toEqual(['list.sqlite', 'sub', 'text']);
  });

  it('backup to a place that takes no files', async () => {
    const { status, err } = await runHere(['backup', '/sys/copy'], settings);
    expect([status, err]).toEqual([1, expect.stringMatching(/^.*\/sys\/copy.*\n$/)]);
  });
});
