import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import mysql from 'mysql2/promise';
import { FIRST_TIMESTAMP } from './data.js';

/** Records of one user, counted from 1, and further ones that are tombstones. */
export interface Collection {
  account: string;
  /** The first record's number; default 1. */
  from?: number;
  to: number;
  tombstones?: number;
}

/** Writes rows directly to the database, as the service would. */
export interface Seeder {
  articles(collection: Collection): Promise<void>;
  /** Users that no request accesses, each with some articles. */
  strangers(users: number, articlesEach: number): Promise<void>;
  /** Refreshes the planner's statistics and flushes dirty pages. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

type Run = (sql: string, parameters: unknown[]) => Promise<unknown>;

/** SQL that differs between the two databases. */
interface Words {
  sha256: (text: string) => string;
  md5: (text: string) => string;
  series: (from: string, to: string) => string;
  /** Sets the account's clock and its number of live articles. */
  account: string;
}

const MYSQL: Words = {
  sha256: (text) => `UNHEX(SHA2(${text}, 256))`,
  md5: (text) => `UNHEX(MD5(${text}))`,
  series: (from, to) => `seq_${from}_to_${to}`,
  account: 'REPLACE',
};

const SQLITE: Words = {
  sha256: (text) => `sha256(${text})`,
  md5: (text) => `md5(${text})`,
  series: (from, to) =>
    `(WITH RECURSIVE s(seq) AS (SELECT ${from} UNION ALL SELECT seq + 1 FROM s WHERE seq < ${to}) SELECT seq FROM s)`,
  account: 'INSERT OR REPLACE',
};

const EXCERPT = 'What the article says in its first lines, as a device would send it. '.repeat(4).trim();
const COLUMNS = `account, id, last_modified, deleted, url, url_hash, title, resolved_url, resolved_url_hash,
  resolved_title, excerpt, archived, favorite, is_article, word_count, unread, added_by, added_on, stored_on,
  read_position`;

function articlesFrom(words: Words, account: string, text: string, seq: string): string {
  const url = `CONCAT('https://example.com/', ${text}, '/articles/', ${seq})`;
  const title = `CONCAT('A title of some forty characters, no. ', ${seq})`;
  return `${account}, ${words.md5(`CONCAT(${text}, '/', ${seq})`)}, ${FIRST_TIMESTAMP} + ${seq}, 0, ${url},
    ${words.sha256(url)}, ${title}, ${url}, ${words.sha256(url)}, ${title}, '${EXCERPT}', ${seq} % 5 = 0, ${seq} % 7 = 0,
    1, 100 + ${seq} % 3000, ${seq} % 2, 'laptop', ${FIRST_TIMESTAMP} + ${seq} * 7919 % 1000000, ${FIRST_TIMESTAMP}, 0`;
}

function seederOf(words: Words, run: Run): Pick<Seeder, 'articles' | 'strangers'> {
  const { series } = words;
  const setAccount = `${words.account} INTO accounts (account, last_modified, live_count)`;
  return {
    articles: async ({ account, from = 1, to, tombstones = 0 }) => {
      const key = Buffer.from(account, 'hex');
      const rows = articlesFrom(words, '?', `'${account}'`, 'seq');
      await run(`INSERT INTO articles (${COLUMNS}) SELECT ${rows} FROM ${series(String(from), String(to))} AS n`, [
        key,
      ]);
      if (tombstones > 0)
        await run(
          `INSERT INTO articles (account, id, last_modified, deleted)
           SELECT ?, ${words.md5(`CONCAT('${account}', '/gone/', seq)`)}, ${FIRST_TIMESTAMP} - seq, 1
           FROM ${series('1', String(tombstones))} AS n`,
          [key],
        );
      await run(`${setAccount} SELECT ?, MAX(last_modified), SUM(deleted = 0) FROM articles WHERE account = ?`, [
        key,
        key,
      ]);
    },
    strangers: async (users, articlesEach) => {
      const key = words.md5("CONCAT('stranger ', u.seq)");
      const [people, each] = [series('1', String(users)), series('1', String(articlesEach))];
      const rows = articlesFrom(words, key, "CONCAT('stranger ', u.seq)", 'n.seq');
      await run(`INSERT INTO articles (${COLUMNS}) SELECT ${rows} FROM ${people} AS u CROSS JOIN ${each} AS n`, []);
      await run(`${setAccount} SELECT ${key}, ${FIRST_TIMESTAMP} + ?, ? FROM ${people} AS u`, [
        articlesEach,
        articlesEach,
      ]);
    },
  };
}

/** @param databaseUrl `mysql://…` or `sqlite:PATH`, with the service's schema in it */
export async function openSeeder(databaseUrl: string): Promise<Seeder> {
  return databaseUrl.startsWith('sqlite:') ? openSqlite(databaseUrl.slice('sqlite:'.length)) : openMysql(databaseUrl);
}

async function openMysql(url: string): Promise<Seeder> {
  const connection = await mysql.createConnection(url);
  return {
    ...seederOf(MYSQL, (sql, parameters) => connection.query(sql, parameters)),
    settle: async () => void (await connection.query('ANALYZE TABLE accounts, articles')),
    close: () => connection.end(),
  };
}

function openSqlite(path: string): Seeder {
  const handle = new Sqlite(path, { timeout: 10_000 });
  const digest = (name: string) => (text: unknown) => createHash(name).update(String(text)).digest();
  handle.function('sha256', { deterministic: true }, digest('sha256'));
  handle.function('md5', { deterministic: true }, digest('md5'));
  return {
    ...seederOf(SQLITE, (sql, parameters) => Promise.resolve(handle.prepare(sql).run(...parameters))),
    settle: () => Promise.resolve(void handle.pragma('wal_checkpoint(TRUNCATE)')),
    close: () => Promise.resolve(void handle.close()),
  };
}
