import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { articleId, articleUrl, FIRST_TIMESTAMP } from '../../bench/data.js';
import { openSeeder } from '../../bench/seed.js';
import { findCollection } from '../../src/accounts/accounts.store.js';
import { findPage, findPageFacts } from '../../src/articles/store/article-pages.store.js';
import type { PageRequest } from '../../src/articles/store/conditions.js';
import * as store from '../../src/articles/store/articles.store.js';
import { readSettings } from '../../src/config/load-settings.js';
import { dataSourceForSchema } from '../../src/database/data-source.js';
import { mysqlDialect } from '../../src/database/mysql/dialect.js';
import type { Dialect, Parameter, Session } from '../../src/database/session.js';
import { sqliteDialect } from '../../src/database/sqlite/dialect.js';
import { parseCollectionQuery } from '../../src/protocol/collection-query.js';
import { aStoredArticle } from '../support/article.js';
import { startMariaDb } from '../support/servers/mariadb.js';

const ACCOUNT = 'a0'.repeat(16);
const KEY = Buffer.from(ACCOUNT, 'hex');
const SIZE = 8_000;
const LATE = FIRST_TIMESTAMP + SIZE - 20;
const URL = articleUrl(ACCOUNT, 7);
const ID = articleId(ACCOUNT, 7);

interface Statement {
  sql: string;
  parameters: Parameter[];
}

/** How a database reaches one table of a statement. */
interface Step {
  text: string;
  /** Reads more than an index narrows down to one account. */
  scans: boolean;
  sorts: boolean;
  /** Answered from the index alone, or one row found by its key. */
  covered: boolean;
  /** An estimate; undefined on SQLite, which makes none. */
  rows?: number;
}

/** What would make the statement slower with every article: nothing, for a good plan. */
function faults(steps: Step[]): string[] {
  const named = (fault: string, isFaulty: (step: Step) => boolean) =>
    steps.filter(isFaulty).map(({ text }) => `${fault}: ${text}`);
  return [...named('scan', ({ scans }) => scans), ...named('sort', ({ sorts }) => sorts)];
}

/** The statements that a function of the store sends. */
async function statementsOf(
  { dataSource, dialect }: Pick<Server, 'dataSource' | 'dialect'>,
  work: (session: Session) => Promise<unknown>,
): Promise<Statement[]> {
  const sent: Statement[] = [];
  const session: Session = {
    dataSource,
    dialect,
    rows: (sql, parameters) => Promise.resolve((sent.push({ sql, parameters }), [])),
    row: (sql, parameters) =>
      Promise.resolve((sent.push({ sql, parameters }), sql.startsWith('SELECT COUNT') ? { total: 0 } : undefined)),
    run: (sql, parameters) => Promise.resolve((sent.push({ sql, parameters }), { affectedRows: 1, insertId: 0 })),
  };
  await work(session);
  return sent;
}

interface Server {
  dataSource: DataSource;
  dialect: Dialect;
  explain(statement: Statement): Promise<Step[]>;
  close(): Promise<void>;
}

async function prepared(databaseUrl: string): Promise<DataSource> {
  const dataSource = await dataSourceForSchema(readSettings({ NODE_ENV: 'test', DATABASE_URL: databaseUrl }));
  await dataSource.initialize();
  await dataSource.runMigrations({ transaction: 'none' });
  const seeder = await openSeeder(databaseUrl);
  await seeder.articles({ account: ACCOUNT, to: SIZE, tombstones: SIZE / 10 });
  await seeder.strangers(500, 8);
  await seeder.settle();
  await seeder.close();
  return dataSource;
}

type MariaDbRow = { table: string | null; type: string; key: string | null; rows: number; Extra: string };

/** A handful of rows may be sorted: they are no more when the collection is large. */
const FEW = 10;

const servers: Record<string, () => Promise<Server>> = {
  MariaDB: async () => {
    const server = await startMariaDb();
    const dataSource = await prepared(await server.createDatabase('plans'));
    return {
      dataSource,
      dialect: mysqlDialect,
      explain: async ({ sql, parameters }) => {
        const rows = await dataSource.query<MariaDbRow[]>(`EXPLAIN ${sql}`, parameters);
        return rows
          .filter(({ table }) => table !== null && !table.startsWith('<'))
          .map(({ type, key, rows: estimate, Extra }) => ({
            text: `${type} ${key} ${estimate} ${Extra}`,
            scans: type === 'ALL' || type === 'index' || key === null,
            // The line of the first table tells how the whole statement is sorted, even if it reads one row of it.
            sorts: /filesort|temporary/.test(Extra) && (type === 'const' || Number(estimate) > FEW),
            covered: type === 'const' || (Extra.includes('Using index') && !Extra.includes('Using index condition')),
            rows: Number(estimate),
          }));
      },
      close: async () => {
        await dataSource.destroy();
        await server.remove();
      },
    };
  },
  SQLite: async () => {
    const dataSource = await prepared(`sqlite:${join(mkdtempSync(join(tmpdir(), 'reading-list-')), 'plans.sqlite')}`);
    return {
      dataSource,
      dialect: sqliteDialect,
      explain: async ({ sql, parameters }) => {
        const rows = await dataSource.query<{ detail: string }[]>(`EXPLAIN QUERY PLAN ${sql}`, parameters);
        const texts = rows.map(({ detail }) => detail);
        const findsOne = texts.some((text) => /\((account=\? AND (id|url_hash|resolved_url_hash)=\?)\)/.test(text));
        return texts
          .filter((text) => /SCAN|SEARCH|TEMP B-TREE/.test(text))
          .map((text) => ({
            text,
            scans: text.startsWith('SCAN'),
            sorts: text.includes('TEMP B-TREE') && !findsOne,
            covered: /COVERING INDEX|PRIMARY KEY/.test(text),
          }));
      },
      close: () => dataSource.destroy(),
    };
  },
};

function requestOf(search: string): PageRequest {
  const { filters, sort, limit } = parseCollectionQuery(search);
  return { account: KEY, filters, sort, size: limit ?? 100, maxBytes: 4_194_304 };
}

/** A page of a listing as the service asks for it, and what it asks if there are no rows. */
const page = (server: Server, search: string, more: Partial<PageRequest> = {}, find = findPage) => {
  const request = { ...requestOf(search), ...more };
  return statementsOf(server, (session) => find(session, request));
};

describe.each(Object.keys(servers))('plans on %s', (name) => {
  let server: Server;

  beforeAll(async () => {
    server = await servers[name]!();
  });

  afterAll(() => server.close());

  const plansOf = async (statements: Statement[]): Promise<Step[]> =>
    (await Promise.all(statements.map((statement) => server.explain(statement)))).flat();

  it.each([
    ['the newest articles', '', {}],
    ['the oldest articles', '_sort=last_modified', {}],
    ['the next page', '', { start: { total: 9, position: [LATE] } }],
    ['what changed', `_since=${LATE}&_limit=25`, {}],
    ['the next page of what changed', `_since=${FIRST_TIMESTAMP}&_limit=25`, { start: { total: 9, position: [LATE] } }],
    ['what changed, oldest first', `_since=${LATE}&_sort=last_modified`, {}],
    ['what was deleted', `_since=${LATE}&deleted=true`, {}],
    ['unread articles', 'unread=true', {}],
    ['unread articles that are not archived', 'unread=true&archived=false', {}],
    ['an article by its URL', `url=${encodeURIComponent(URL)}`, {}],
    ['an article by its resolved URL', `resolved_url=${encodeURIComponent(URL)}`, {}],
    ['an article by its id', `id=${ID}`, {}],
  ])('lists %s without a scan or a growing sort', async (_what, search, more) => {
    const steps = await plansOf(await page(server, search, more));
    expect(steps.length).toBeGreaterThan(0);
    expect(faults(steps)).toEqual([]);
  });

  it('finds the articles of a portion of a bulk deletion by their ids', async () => {
    const ids = Array.from({ length: 100 }, (_, at) => articleId(ACCOUNT, at + 1));
    const statements = await statementsOf(server, async (session) => {
      await store.findLiveIds(session, KEY, [], ids);
      await store.buryArticles(session, KEY, ids, LATE);
    });
    const steps = (await plansOf(statements)).filter(({ text }) => !text.includes('TEMP B-TREE'));
    expect(steps).toHaveLength(2);
    for (const { text } of steps) expect(text).toMatch(/PRIMARY|account=\? AND id=\?/);
  });

  it.each([
    ['unread articles', 'unread=true'],
    ['favourites that are not archived', 'favorite=true&archived=false'],
    ['what changed', `_since=${LATE}`],
  ])('counts %s in an index alone', async (_what, search) => {
    const [statement] = await page(server, search, {}, findPageFacts);
    expect(faults(await plansOf([statement!]))).toEqual([]);
    // The rest of the statement reads no more rows than a page has: where that ends depends on what they take.
    const [, sql] = /\((SELECT COUNT\(\*\) .*?)\) AS total/.exec(statement!.sql)!;
    const steps = await plansOf([
      { sql: sql!, parameters: statement!.parameters.slice(0, sql!.split('?').length - 1) },
    ]);
    expect(steps.length).toBeGreaterThan(0);
    expect(steps.filter(({ covered }) => !covered)).toEqual([]);
  });

  it.each([
    ['unread articles', 'unread=true'],
    ['favourites that are not archived, oldest first', 'favorite=true&archived=false&_sort=last_modified'],
  ])('reads no other rows than those of %s', async (_what, search) => {
    const steps = await plansOf(await page(server, search));
    expect(steps.some(({ covered }) => covered)).toBe(true);
    const read = steps.filter(({ covered }) => !covered);
    expect(Math.max(...read.map(({ rows }) => rows ?? 0))).toBeLessThanOrEqual(1);
  });

  it('finds what changed among few rows', async () => {
    const steps = await plansOf(await page(server, `_since=${LATE}&_limit=25`));
    expect(Math.max(...steps.map(({ rows }) => rows ?? 0))).toBeLessThan(50);
  });

  it.each<[string, (session: Session) => Promise<unknown>]>([
    ['the collection', (session) => findCollection(session, KEY)],
    ['an article', (session) => store.findArticle(session, KEY, ID)],
    ['who holds a URL', (session) => store.findByUrls(session, KEY, { url: URL, resolved_url: URL })],
    ['an article to change', (session) => store.updateArticle(session, KEY, aStoredArticle({ id: ID }), ['title'])],
    ['an article to bury', (session) => store.buryArticles(session, KEY, [ID], 1)],
  ])('finds %s by a key', async (_what, work) => {
    const steps = await plansOf(await statementsOf(server, work));
    expect(steps.length).toBeGreaterThan(0);
    expect(faults(steps)).toEqual([]);
    expect(Math.max(...steps.map(({ rows }) => rows ?? 0))).toBeLessThanOrEqual(1);
  });

  it.each([
    ['scan', { sql: 'SELECT id FROM articles WHERE title = ?', parameters: ['x'] }],
    ['sort', { sql: 'SELECT id FROM articles WHERE account = ? ORDER BY title LIMIT 100', parameters: [KEY] }],
  ])('recognises a %s', async (fault, statement) => {
    expect(faults(await server.explain(statement)).join()).toMatch(new RegExp(`^${fault}`));
  });

  it('recognises that an order without an index has to be sorted', async () => {
    // On SQLite the ids are sorted, in a statement that then finds each row by its key.
    expect(faults(await plansOf(await page(server, '_sort=title'))).join()).toMatch(/^(sort|scan: SCAN found$)/);
  });
});
