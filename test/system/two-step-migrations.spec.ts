import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildLastRelease, codeOfLastRelease } from '../support/last-release.js';
import { brokenFor, type Column, columnsOf } from '../support/schema-columns.js';
import { runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';

let server: Awaited<ReturnType<typeof startMariaDb>>;
let old: string;
let code: string;
beforeAll(async () => {
  server = await startMariaDb();
  old = buildLastRelease();
  code = codeOfLastRelease(old);
});
afterAll(() => server.remove());

const emptyFolder = () => mkdtempSync(join(tmpdir(), 'reading-list-two-steps-'));

const migrate = (build: string, url: string) =>
  execFileSync(process.execPath, [resolve(build, 'dist/src/migrate.js')], {
    cwd: emptyFolder(),
    env: { PATH: process.env.PATH, DATABASE_URL: url },
  });

const onFile = (url: string, statement: string) => {
  const file = new Database(url.replace('sqlite:', ''));
  file.exec(statement);
  file.close();
};

describe.each([
  ['MariaDB', () => server.createDatabase('two_steps'), (url: string, statement: string) => runSql(url, statement)],
  ['SQLite', () => `sqlite:${join(emptyFolder(), 'two-steps.sqlite')}`, onFile],
])('on %s', (_, create, run) => {
  let url: string;
  let before: Column[];
  beforeAll(async () => {
    url = await create();
    migrate(old, url);
    before = await columnsOf(url);
    migrate('.', url);
  });

  it('the migrations since the last release leave what that release uses, and ask nothing new of its INSERTs', async () => {
    expect(before.length).toBeGreaterThan(20);
    expect(brokenFor(code, before, await columnsOf(url))).toEqual([]);
  });

  it.each([
    ['ALTER TABLE articles DROP COLUMN excerpt', 'articles.excerpt is gone'],
    ['ALTER TABLE articles RENAME COLUMN title TO heading', 'articles.title is gone'],
    ["ALTER TABLE accounts ADD COLUMN kind VARCHAR(9) NOT NULL DEFAULT ''", undefined],
  ])('%s is found, if it breaks the last release', async (statement, found) => {
    await run(url, statement);
    const broken = brokenFor(code, before, await columnsOf(url));
    if (found) expect(broken).toContain(found);
    else expect(broken.join()).not.toContain('kind');
  });

  it('a column that is not used any more may go', async () => {
    const column = { table: 'articles', name: 'not_in_any_code', type: 'text', isRequired: false };
    expect(brokenFor(code, [...before, column], await columnsOf(url)).join()).not.toContain('not_in_any_code');
  });
});
