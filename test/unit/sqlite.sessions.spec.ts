import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Database } from '../../src/database/database.js';
import { committed, discarded, type Outcome, type Session } from '../../src/database/session.js';
import { SqliteConnection } from '../../src/database/sqlite/connection.js';
import { SqliteSessions } from '../../src/database/sqlite/sessions.js';
import { ApiError } from '../../src/protocol/api-error.js';

let folder: string;
let handle: Sqlite.Database;
let other: Sqlite.Database;
let sessions: SqliteSessions;
let database: Database;
/** The statements that begin and end transactions, as they were executed. */
let boundaries: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sqlite-sessions-'));
  boundaries = [];
  const verbose = (sql?: unknown) =>
    /^(BEGIN|END|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)/.test(String(sql)) && boundaries.push(String(sql));
  handle = new Sqlite(join(folder, 'file.db'), { verbose });
  handle.pragma('journal_mode = WAL');
  handle.exec('CREATE TABLE words (word TEXT PRIMARY KEY)');
  // An orphan is found when the transaction is committed: a way for a COMMIT to fail.
  handle.pragma('foreign_keys = ON');
  handle.exec('CREATE TABLE orphans (word TEXT REFERENCES words (word) DEFERRABLE INITIALLY DEFERRED)');
  other = new Sqlite(join(folder, 'file.db'));
  const dataSource = new DataSource({ type: 'better-sqlite3', database: ':memory:' });
  sessions = new SqliteSessions(dataSource, handle, () => undefined);
  database = new Database(dataSource, () => Promise.resolve(sessions));
  await database.onModuleInit();
});
afterEach(() => {
  vi.restoreAllMocks();
  other.close();
  sessions.close();
  handle.close();
  rmSync(folder, { recursive: true });
});

const insert = (word: string) => (transaction: Session) =>
  transaction.run('INSERT INTO words VALUES (?)', [word]).then(() => committed(word));
const write = (word: string) => database.inTransaction(insert(word));
const words = async () =>
  (await database.onSession((session) => session.rows('SELECT word FROM words', []))).map(wordOf);
const inFile = () => other.prepare<[], { word: string }>('SELECT word FROM words').all().map(wordOf);
const fail = (error: Error) => {
  throw error;
};
const nextTick = () => new Promise((resolve) => process.nextTick(resolve));
const wordOf = (row: object): unknown => (row as { word: unknown }).word;

it('commits the transactions of writers that wait for each other together', async () => {
  expect(await Promise.all(['a', 'b', 'c'].map(write))).toEqual(['a', 'b', 'c']);
  expect(inFile()).toEqual(['a', 'b', 'c']);
  expect(boundaries.filter((sql) => sql === 'COMMIT')).toHaveLength(1);
});

it('tells nobody of a success before it is durable', async () => {
  const seen = await Promise.all(['a', 'b', 'c'].map((word) => write(word).then(inFile)));
  for (const list of seen) expect(list).toEqual(['a', 'b', 'c']);
});

it('shares a commit among sixteen at most', async () => {
  await Promise.all(Array.from({ length: 40 }, (_, at) => write(String(at))));
  expect(inFile()).toHaveLength(40);
  expect(boundaries.filter((sql) => sql === 'COMMIT')).toHaveLength(3);
});

it.each([
  ['first', 0],
  ['second', 1],
  ['last', 2],
])('keeps the changes of others when the %s of them fails or keeps nothing', async (_, at) => {
  const refused = new ApiError('notFound', 'refused');
  const failing = (transaction: Session) => insert('x')(transaction).then(() => Promise.reject(refused));
  const abandoned = async (transaction: Session) => discarded((await insert('y')(transaction)).result);
  for (const work of [failing, abandoned, insert('taken')]) {
    other.exec("DELETE FROM words; INSERT INTO words VALUES ('taken')");
    const results = [write('a'), write('b')];
    void results.splice(at, 0, database.inTransaction(work));
    const outcomes = (await Promise.allSettled(results)).map(({ status }) => status);
    expect(outcomes.filter((status) => status === 'fulfilled').length).toBe(work === abandoned ? 3 : 2);
    expect(inFile().sort()).toEqual(['a', 'b', 'taken']);
  }
});

it('tells nobody what a transaction saw, or made of it, before that is durable', async () => {
  const look = async (transaction: Session) =>
    discarded((await transaction.rows('SELECT word FROM words', [])).map(wordOf));
  const refuse = () => Promise.reject(new ApiError('notFound', 'refused'));
  const [, seen, refused] = await Promise.all([
    write('a'),
    database.inTransaction(look).then((list) => [list, inFile()]),
    database.inTransaction(refuse).catch(inFile),
    write('b'),
  ]);
  expect(seen).toEqual([['a'], ['a', 'b']]);
  expect(refused).toEqual(['a', 'b']);
});

it('begins anew for those whose transaction was undone with that of another, whatever had come of it', async () => {
  const calls = { look: 0, refuse: 0, disturbed: 0 };
  const look = async (transaction: Session) => {
    calls.look++;
    return discarded(await transaction.rows('SELECT word FROM words', []));
  };
  const refuse = () => {
    calls.refuse++;
    return Promise.reject(new ApiError('notFound', 'refused'));
  };
  const disturbed = async (transaction: Session) => {
    await insert('once')(transaction);
    if (++calls.disturbed === 1) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' });
    return committed(undefined);
  };
  const works: ((session: Session) => Promise<Outcome<unknown>>)[] = [
    insert('a'),
    look,
    refuse,
    disturbed,
    insert('b'),
  ];
  const outcomes = await Promise.allSettled(works.map((work) => database.inTransaction<unknown>(work)));
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(calls).toEqual({ look: 2, refuse: 2, disturbed: 2 });
  expect(inFile().sort()).toEqual(['a', 'b', 'once']);
});

it('fails all whose commit failed, and keeps nothing of them', async () => {
  const orphan = (transaction: Session) => transaction.run("INSERT INTO orphans VALUES ('nobody')", []).then(committed);
  const results = await Promise.allSettled([write('a'), database.inTransaction(orphan), write('b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(inFile()).toEqual([]);
  expect(await write('c')).toBe('c');
  expect(inFile()).toEqual(['c']);
});

it('lets readers go first, and shows them only what is durable', async () => {
  // A read that a busy machine makes a long one would let the writers go first.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const seen: unknown[] = [];
  const look = async () => seen.push([await words(), inFile()]);
  await Promise.all([write('a'), look(), write('b'), look()]);
  await look();
  expect(seen).toEqual([
    [[], []],
    [[], []],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  ]);
});

it('shows readers of an in-memory database only what is committed', async () => {
  const memory = new Sqlite(':memory:');
  memory.exec('CREATE TABLE words (word TEXT PRIMARY KEY)');
  const dataSource = new DataSource({ type: 'better-sqlite3', database: ':memory:' });
  const source = new SqliteSessions(dataSource, memory, fail);
  database = new Database(dataSource, () => Promise.resolve(source));
  await database.onModuleInit();
  const refused = new ApiError('notFound', 'refused');
  let reading: Promise<unknown[]> | undefined;
  const failing = async (transaction: Session) => {
    await insert('undone')(transaction);
    reading = words();
    await new Promise(setImmediate);
    throw refused;
  };
  await Promise.allSettled([write('a'), database.inTransaction(failing), write('b')]);
  expect(await reading).toEqual(['a', 'b']);
});

it('runs a statement outside of a transaction apart from the transactions of others', async () => {
  const refuse = async (transaction: Session) => {
    await insert('undone')(transaction);
    await new Promise(setImmediate);
    throw new ApiError('notFound', 'refused');
  };
  const single = (word: string) =>
    database.onSession(async (session) => {
      const { affectedRows } = await session.run('INSERT INTO words VALUES (?)', [word]);
      return [affectedRows, inFile(), (await session.rows('SELECT word FROM words', [])).map(wordOf)];
    });
  const [, outcome] = await Promise.allSettled([database.inTransaction(refuse), single('kept')]);
  expect(outcome).toEqual({ status: 'fulfilled', value: [1, ['kept'], ['kept']] });
  await expect(single('kept')).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_PRIMARYKEY' });
  expect(await write('b')).toBe('b');
});

it('goes on after a statement for which SQLite rolls everything back, as on a full disk', async () => {
  handle.pragma(`max_page_count = ${handle.pragma('page_count', { simple: true }) as number}`);
  const large = () =>
    database.onSession((session) => session.run('INSERT INTO words VALUES (?)', ['x'.repeat(50_000)]));
  const refused = expect(large()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await Promise.all([write('a'), write('b')])).toEqual(['a', 'b']);
  const beside = write('c');
  const again = expect(large()).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await beside).toBe('c');
  await Promise.all([refused, again]);
  handle.pragma('max_page_count = 1000000');
  expect(await write('d')).toBe('d');
  expect(inFile()).toEqual(['a', 'b', 'c', 'd']);
});

it('lets others go first after a long read of a user, for as long as it took', async () => {
  const LONG =
    'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) SELECT COUNT(*) FROM n';
  const readAs = (key: string, sql: string) =>
    database.onSession((session) => session.rows(sql, []), { key, statements: 0 });
  const start = performance.now();
  await readAs('greedy', LONG);
  const end = performance.now();
  const again = readAs('greedy', 'SELECT 1').then(() => performance.now() - end);
  const first = await Promise.race([again.then(() => 'greedy'), readAs('other', 'SELECT 1').then(() => 'other')]);
  expect(first).toBe('other');
  // The read itself took a part of that time, more or less of it on a busy machine.
  expect(await again).toBeGreaterThan(0.5 * (end - start));
});

it('lets others have a turn between reads whose pauses end together', async () => {
  const users = ['one', 'two', 'three'];
  const pauses = await Promise.all(users.map((key) => sessions.reads.acquire(key)));
  const events: string[] = [];
  const reads = users.map((key) =>
    database.onSession((session) => session.row('SELECT 1', []), { key, statements: 0 }).then(() => events.push(key)),
  );
  await nextTick();
  for (const end of pauses) end();
  const next = (): void => void (events.push('turn'), events.length < 20 && setImmediate(next));
  setImmediate(next);
  await Promise.all(reads);
  const places = users.map((key) => events.indexOf(key));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  for (const place of places.slice(1)) expect(events[place - 1]).toBe('turn');
});

it('reads what another process has committed, once the event loop went on, and what this one has at once', async () => {
  expect(await words()).toEqual([]);
  await write('a');
  expect(await words()).toEqual(['a']);
  await nextTick();
  other.exec("INSERT INTO words VALUES ('b')");
  expect(await words()).toEqual(['a', 'b']);
});

it('keeps the file locked no longer', async () => {
  await words();
  await nextTick();
  expect(handle.inTransaction).toBe(false);
  other.exec("INSERT INTO words VALUES ('b')");
  expect(await write('a')).toBe('a');
});

it('lets readers go on while another process holds the write lock, and all writers when it lets go', async () => {
  other.exec('BEGIN IMMEDIATE');
  const writers = Array.from({ length: 60 }, (_, at) => write(String(at)));
  let isOver = false;
  void Promise.allSettled(writers.map((writer) => writer.finally(() => (isOver = true))));
  for (let turn = 0; turn < 20; turn++) {
    expect(await words()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(isOver).toBe(false);
  expect(boundaries.filter((sql) => sql === 'BEGIN IMMEDIATE').length).toBeLessThan(60);
  other.exec("INSERT INTO words VALUES ('other')");
  other.exec('COMMIT');
  expect(await Promise.all(writers)).toHaveLength(60);
  expect(inFile()).toHaveLength(61);
});

it(
  'refuses writers with 503 when another process never lets go, and serves the next ones when it does',
  { timeout: 20_000 },
  async () => {
    other.exec('BEGIN IMMEDIATE');
    const start = performance.now();
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map(write));
    expect(performance.now() - start).toBeLessThan(10_000);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 503 } });
    expect(await words()).toEqual([]);
    other.exec('COMMIT');
    expect(await write('d')).toBe('d');
    expect(inFile()).toEqual(['d']);
  },
);

describe('a long transaction', () => {
  const finished: string[] = [];
  beforeEach(() => void (finished.length = 0));
  const begun = (key: string, ms: number) =>
    database.inLazyTransaction(
      async (session) => {
        await session.begin(true);
        for (const start = performance.now(); performance.now() - start < ms;);
        finished.push(key);
        return discarded(undefined);
      },
      { statements: 0, key },
    );

  it('of one user lets others go first afterwards, for as long as that took', async () => {
    await begun('greedy', 100);
    const start = performance.now();
    await Promise.all([begun('greedy', 0), begun('polite', 0)]);
    expect(finished).toEqual(['greedy', 'polite', 'greedy']);
    expect(performance.now() - start).toBeGreaterThan(80);
  });

  it('lets the short ones that wait go before the next long one, whoever sent that', async () => {
    const long = ['one', 'two', 'three'].map((key) => begun(key, 100));
    await nextTick();
    await Promise.all([...long, write('short').then(() => finished.push('short'))]);
    expect(finished).toEqual(['one', 'short', 'two', 'three']);
  });
});

it.each([
  ['keeps a prepared statement', 'SELECT 1', 1],
  [
    'does not keep one that is long, as with many filters, which seldom comes again',
    `SELECT ${"'x', ".repeat(500)} 1`,
    2,
  ],
])('%s', (_, sql, times) => {
  const prepare = vi.spyOn(handle, 'prepare');
  const connection = new SqliteConnection(handle);
  expect(connection.rows(sql, [])).toEqual(connection.rows(sql, []));
  expect(prepare).toHaveBeenCalledTimes(times);
});
