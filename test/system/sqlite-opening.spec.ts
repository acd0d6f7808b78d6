import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { createDataSource, dataSourceOptions, openDataSource } from '../../src/database/data-source.js';
import { migrateFile } from '../../src/database/open.js';
import { runService, startService } from '../support/service.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'opening-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a file that only the operator can put right ends the start at once, with one line', () => {
  const inFolder = (...names: string[]) => join(folder, ...names);
  const path = () => inFolder('list.sqlite');
  const write = (text: string) => void writeFileSync(path(), text);
  const cases: [name: string, prepare: () => string | void, reason: string][] = [
    [
      'in a file instead of a folder',
      () => (write(''), inFolder('list.sqlite', 'list.sqlite')),
      'cannot exist, as FOLDER/list.sqlite is not a folder; check the path',
    ],
    ['that is a folder', () => mkdirSync(path()), 'is a folder; name a file in it'],
    [
      'that is not a database',
      () => write('no database at all, but long enough for its header'.repeat(40)),
      'is not a SQLite database; check the path, or restore a backup if it was the database of this service',
    ],
    [
      'that is the database of another application',
      () => {
        const database = new Sqlite(path());
        database.exec('CREATE TABLE moz_places (id)');
        database.close();
      },
      'is not a database of this service; check the path',
    ],
    [
      'in a folder that cannot be created',
      () => '/sys/nowhere/list.sqlite',
      'cannot be created, as /sys/nowhere does not exist; check the path, and that its volume is mounted',
    ],
  ];
  it.each(cases)('%s', async (_, prepare, reason) => {
    const file = prepare() ?? path();
    const { status, output } = await runService({ DATABASE_URL: `sqlite:${file}`, MIGRATE_ON_START: 'true' });
    expect([status, output]).toEqual([1, `DATABASE_URL: ${file} ${reason.replace('FOLDER', folder)}\n`]);
  });

  it('that is damaged', async () => {
    const database = new Sqlite(path());
    database.exec('CREATE TABLE migrations (name)');
    database.close();
    const bytes = readFileSync(path());
    writeFileSync(path(), bytes.fill(255, 100));
    const { status, output } = await runService({ DATABASE_URL: `sqlite:${path()}` });
    expect([status, output]).toEqual([
      1,
      expect.stringMatching(`^DATABASE_URL: ${path()} is corrupt \\(.*\\): stop the service, .*\n$`),
    ]);
  });

  const secrets = { USER_ID_SECRET: 's'.repeat(32), SESSION_SECRET: 's'.repeat(32) };
  const production = { NODE_ENV: 'production', PUBLIC_URL: 'https://list.example.com', ...secrets };
  it.each(cases.slice(0, 2))('in production, %s', async (_, prepare, reason) => {
    const file = prepare() ?? path();
    const { status, output } = await runService({ ...production, DATABASE_URL: `sqlite:${file}` });
    expect([status, output]).toEqual([1, `DATABASE_URL: ${file} ${reason.replace('FOLDER', folder)}\n`]);
  });
});

it('a migration for which there is no room says so and leaves the file empty', async () => {
  const path = join(folder, 'list.sqlite');
  const dataSource = createDataSource(await dataSourceOptions(readSettings({ DATABASE_URL: `sqlite:${path}` })));
  await openDataSource(dataSource);
  onTestFinished(() => dataSource.destroy());
  await dataSource.query('PRAGMA max_page_count = 4');
  await expect(migrateFile(dataSource)).rejects.toThrow('database or disk is full');
  expect(await dataSource.query('SELECT name FROM sqlite_schema')).toEqual([]);
});

describe('what the user of the service may not write is refused', () => {
  /** Becomes somebody else once the module is loaded, as that may be in a folder which nobody else can read. */
  const judge = `import { whyUnusable } from ${JSON.stringify(pathToFileURL('dist/src/database/why-not-open.js').href)};
    if (process.getuid() === 0) process.setgroups([]), process.setgid(65534), process.setuid(65534);
    console.log(whyUnusable(process.argv[1]));`;

  it.each([
    ['the file', 0o755, 0o444],
    ['the folder', 0o555, 0o666],
    ['a folder that cannot be entered', 0o600, 0o666],
    ['the log beside the file', 0o777, 0o666, 0o444],
  ])('%s', (_, folderMode, fileMode, logMode = fileMode) => {
    const file = join(folder, 'list.sqlite');
    writeFileSync(file, '', { mode: fileMode });
    chmodSync(file, fileMode);
    writeFileSync(`${file}-wal`, '');
    chmodSync(`${file}-wal`, logMode);
    chmodSync(folder, folderMode);
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', judge, file], {
      encoding: 'utf8',
    });
    chmodSync(folder, 0o700);
    expect(stdout).toBe(
      'cannot be read and written (EACCES); let the user of the service read and write it, its -wal and -shm, and its folder\n',
    );
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
  // SQLite's own wait would stop the process for 200 ms of 250, so that half of them would take longer than 100.
  expect(delays.filter((delay) => delay > 100).length).toBeLessThan(10);
  other.exec('ROLLBACK');
  await expect.poll(answered, { timeout: 30_000 }).toBe(200);
  other.close();
});

describe('a file that cannot be written in a folder that can', () => {
  /** Root may write any file, so the file has to be one that cannot be changed at all; not every file system has that. */
  const canFreeze = (file: string) => spawnSync('chattr', ['+i', file]).status === 0;

  it('ends the start, with one line', async () => {
    const file = join(folder, 'list.sqlite');
    const settings = { DATABASE_URL: `sqlite:${file}` };
    const service = await startService(settings);
    await service.stop();
    chmodSync(file, 0o444);
    if (process.getuid!() === 0 && !canFreeze(file)) return;
    const { status, output } = await runService(settings);
    spawnSync('chattr', ['-i', file]);
    expect([status, output]).toEqual([1, expect.stringMatching(`^DATABASE_URL: ${file} cannot be .*\n$`)]);
  });
});
