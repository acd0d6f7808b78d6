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

interface Kind {
  create: () => Promise<string> | string;
  run: (url: string, statement: string) => unknown;
  /** Statements that require a column, and what is found then. */
  requiring: [statement: string, found: string][];
}

const SERVER: Kind = {
  create: () => server.createDatabase('two_steps'),
  run: (url: string, statement: string) => runSql(url, statement),
  requiring: [
    ['ALTER TABLE accounts ADD COLUMN shape VARCHAR(9) NOT NULL', 'accounts.shape is required now'],
    ['ALTER TABLE accounts ALTER purged_until DROP DEFAULT', 'accounts.purged_until is required now'],
  ],
};

/** SQLite has to copy a table to require a column. */
const copyOfAccounts = (columns: string) =>
  `CREATE TABLE copy (account BLOB, last_modified INT, live_count INT, ${columns});
   DROP TABLE accounts; ALTER TABLE copy RENAME TO accounts`;
const FILE: Kind = {
  create: () => `sqlite:${join(emptyFolder(), 'two-steps.sqlite')}`,
  run: onFile,
  requiring: [
    [copyOfAccounts('purged_until INT DEFAULT 0, shape TEXT NOT NULL'), 'accounts.shape is required now'],
    [copyOfAccounts('purged_until INT NOT NULL'), 'accounts.purged_until is required now'],
  ],
};

describe.each([
  ['MariaDB', SERVER],
  ['SQLite', FILE],
])('on %s', (_, { create, run, requiring }) => {
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
    ...requiring,
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
