import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readSettings } from '../../src/config/load-settings.js';
import { createDataSource, dataSourceOptions } from '../../src/database/data-source.js';
import { migrateDatabase } from '../../src/database/open.js';
import { startApp, type TestApp } from '../support/app.js';
import { send } from '../support/devices.js';
import { asRoot, type DatabaseServer, runSql } from '../support/servers/database-server.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';
import { runService } from '../support/service.js';

const TITLE = 'Ärger im 雪 \\ "mit" \'Anführung\' 🚲';
const article = (url: string) => ({ url, title: TITLE, added_by: 'phone' });

/** A database with a user that has no rights beyond it: for root, servers do not run `init_connect`. */
async function databaseOf(server: DatabaseServer, rights = 'ALL'): Promise<string> {
  await server.createDatabase('list');
  await runSql(
    asRoot(server.socket),
    "CREATE USER IF NOT EXISTS service@'%' IDENTIFIED BY 'secret'",
    `GRANT ${rights} ON list.* TO service@'%'`,
  );
  return `mysql://service:secret@127.0.0.1:${server.port}/list`;
}

const start = (DATABASE_URL: string, variables = {}): Promise<TestApp> =>
  startApp({ ...variables }, { url: DATABASE_URL, drop: () => Promise.resolve() });

/** Two instances see each other's writes, text comes back as it was sent, and a rival's rollback undoes nothing. */
async function serves(url: string): Promise<void> {
  const [one, other] = [await start(url), await start(url)];
  const { status, body } = await send(one.url, 'me', 'POST', '/articles', article('https://example.com/ü?雪'));
  expect([status, body.title]).toEqual([201, TITLE]);
  expect((await send(other.url, 'me', 'GET', '/articles')).body.items).toMatchObject([{ id: body.id, title: TITLE }]);
  const patch = { title: `${TITLE} neu` };
  expect((await send(other.url, 'me', 'PATCH', `/articles/${body.id}`, patch)).status).toBe(200);
  for (const app of [one, other])
    expect((await send(app.url, 'me', 'GET', '/articles?_sort=title')).body.items).toMatchObject([patch]);
  const title = encodeURIComponent(patch.title);
  expect((await send(one.url, 'me', 'GET', `/articles?title=${title}`)).body.items).toHaveLength(1);
  expect((await send(one.url, 'me', 'DELETE', `/articles/${body.id}`)).status).toBe(200);
  expect((await send(other.url, 'me', 'GET', `/articles/${body.id}`)).status).toBe(404);
  await Promise.all([one.close(), other.close()]);
}

const longUrl = (path: string) => `https://example.com/${path}`.padEnd(2048, "'");
const LONG_TITLE = '🚲'.repeat(1024);
/** A record whose texts take as many bytes as they can. */
const longest = {
  ...{ url: longUrl('a'), resolved_url: longUrl('b'), preview: longUrl('c') },
  ...{ title: LONG_TITLE, resolved_title: LONG_TITLE, excerpt: '🚲'.repeat(16_000), added_by: '🚲'.repeat(255) },
};

/** Global variables of a server, as SQL has them: every new connection takes them over. */
type Variables = Record<string, string | number>;

const charset = (name: string, collation: string): Variables => ({
  character_set_server: name,
  collation_server: collation,
  character_set_client: name,
  character_set_results: name,
  collation_connection: collation,
});
const LATIN1 = charset('latin1', 'latin1_swedish_ci');
/** As the servers of tests are started; other variables have the values of the program. */
const USUAL = charset('utf8mb4', 'utf8mb4_bin');

const init = (statement: string): Variables => ({ init_connect: `'${statement.replaceAll("'", "''")}'` });
const sqlMode = (mode: string): Variables => ({ sql_mode: `'${mode}'` });

const COMMON: [name: string, variables: Variables][] = [
  ['autocommit=0', { autocommit: 0 }],
  ['latin1', LATIN1],
  ['init_connect', init("SET NAMES latin1, autocommit = 0, sql_mode = 'ANSI', time_zone = '+05:30'")],
  ['limits', { max_join_size: 50, max_sort_length: 64, ...init('SET sql_select_limit = 1') }],
  ['chained transactions', { completion_type: 'CHAIN' }],
  ['another time zone', { time_zone: "'-07:00'" }],
  ...['ANSI', 'ANSI_QUOTES,PIPES_AS_CONCAT', 'NO_BACKSLASH_ESCAPES', 'TRADITIONAL', ''].map(
    (mode): [string, Variables] => [`sql_mode=${mode}`, sqlMode(mode)],
  ),
];
const isolation = (variable: string) =>
  ['READ-UNCOMMITTED', 'READ-COMMITTED', 'REPEATABLE-READ', 'SERIALIZABLE'].map((level): [string, Variables] => [
    `isolation ${level}`,
    { [variable]: `'${level}'` },
  ]);

const MARIADB: typeof COMMON = [
  ...COMMON,
  ...isolation('tx_isolation'),
  ['read-only transactions', init('SET tx_read_only = 1')],
  ['sql_mode=ORACLE', sqlMode('ORACLE')],
];
const MYSQL: typeof COMMON = [
  ...COMMON,
  ...isolation('transaction_isolation'),
  ['latin1 whatever clients ask for', { ...LATIN1, ...init('SET NAMES latin1') }],
  ['read-only transactions', init('SET transaction_read_only = 1')],
  ['primary keys required', { sql_require_primary_key: 'ON' }],
  ['padded text', sqlMode('PAD_CHAR_TO_FULL_LENGTH')],
];

describe.each([
  ['MariaDB', startMariaDb, MARIADB],
  ['MySQL', startMysql, MYSQL],
] as const)('sessions on %s rely on no default of the server', (_, startServer, cases) => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.remove());

  it.each(cases)('%s', async (_name, variables) => {
    const names = Object.keys(variables);
    const setTo = (values: Variables) =>
      runSql(asRoot(server.socket), ...names.map((name) => `SET GLOBAL ${name} = ${values[name] ?? 'DEFAULT'}`));
    await setTo(variables);
    onTestFinished(() => setTo(USUAL).then(() => undefined));
    await serves(await databaseOf(server));
  });
});

it('sessions on MariaDB rely on no default of the server utf8mb3 whatever clients ask for', async () => {
  const utf8mb3 = ['--character-set-server=utf8mb3', '--collation-server=utf8mb3_general_ci'];
  const server = await startMariaDb({ extraFlags: [...utf8mb3, '--skip-character-set-client-handshake'] });
  await serves(await databaseOf(server));
  await server.remove();
});

describe.each([
  ['MariaDB', startMariaDb],
  ['MySQL', startMysql],
] as const)('%s', (kind, startServer) => {
  let server: DatabaseServer;
  beforeAll(async () => {
    server = await startServer({ extraFlags: ['--max-allowed-packet=1M', '--log-bin=binlog', '--server-id=1'] });
  });
  afterAll(() => server.remove());

  it('has every connection in the same state, whatever its number', async () => {
    const app = await start(await databaseOf(server), { DATABASE_POOL_SIZE: '5' });
    const isolation = kind === 'MariaDB' ? '@@tx_isolation' : '@@transaction_isolation';
    const sql = `SELECT CONCAT_WS(' ', ${isolation}, @@autocommit + 0, @@sql_mode, @@time_zone, @@character_set_client,
      @@collation_connection, @@sql_big_selects + 0,
      ${kind === 'MariaDB' ? '@@max_statement_time * 1000' : '@@max_execution_time'} DIV 1,
      ${kind === 'MariaDB' ? '@@idle_transaction_timeout' : '@@wait_timeout'}) AS state, SLEEP(0.1) AS slept, CONNECTION_ID() AS id`;
    const rows = await Promise.all(
      Array.from({ length: 5 }, () => app.database.onSession((session) => session.row(sql, []))),
    );
    const states = new Set(rows.map((row) => row!.state));
    const idle = kind === 'MariaDB' ? 4 : 60;
    expect([...states]).toEqual([`READ-COMMITTED 1 STRICT_ALL_TABLES +00:00 utf8mb4 utf8mb4_bin 1 4000 ${idle}`]);
    await app.close();
  });

  it('takes the longest statements in packets of 512 KiB, and is refused with smaller ones', async () => {
    const url = await databaseOf(server);
    const user = randomUUID();
    await runSql(asRoot(server.socket), `SET GLOBAL max_allowed_packet = ${2 ** 19}`);
    const app = await start(url);
    expect((await send(app.url, user, 'POST', '/articles', longest)).status).toBe(201);
    expect((await send(app.url, user, 'GET', `/articles?not_title=${"'".repeat(20_000)}`)).status).toBe(200);
    await app.close();
    await runSql(asRoot(server.socket), `SET GLOBAL max_allowed_packet = ${2 ** 18}`);
    const { status, output } = await runService({ DATABASE_URL: url });
    expect(status).toBe(1);
    expect(output).toMatch(/^DATABASE_URL: the server has max_allowed_packet=262144, .* 524288 bytes; .*\n$/);
    await runSql(asRoot(server.socket), `SET GLOBAL max_allowed_packet = ${2 ** 20}`);
  });

  it('creates and migrates a database whatever statements and transactions may do by default', async () => {
    const [time, readOnly] =
      kind === 'MariaDB' ? ['max_statement_time', 'tx_read_only'] : ['max_execution_time', 'transaction_read_only'];
    const set = (most: number, isReadOnly: number) =>
      runSql(asRoot(server.socket), `SET GLOBAL ${time} = ${most}, GLOBAL ${readOnly} = ${isReadOnly}`);
    await set(1, 1);
    const settings = readSettings({ DATABASE_URL: server.url('fresh') });
    await migrateDatabase(settings, false);
    const dataSource = createDataSource(await dataSourceOptions(settings));
    await dataSource.initialize();
    expect(await dataSource.query(`SELECT @@SESSION.${time} + 0 AS most`)).toEqual([{ most: 0 }]);
    await dataSource.destroy();
    await set(0, 0);
  });

  it('is refused if it cannot log transactions in READ COMMITTED', async () => {
    const url = await databaseOf(server);
    await runSql(asRoot(server.socket), "SET GLOBAL binlog_format = 'STATEMENT'");
    const { status, output } = await runService({ DATABASE_URL: url });
    expect(status).toBe(1);
    expect(output).toMatch(/^DATABASE_URL: the server has binlog_format=STATEMENT, .*ROW or MIXED there\n$/);
    await runSql(asRoot(server.socket), "SET GLOBAL binlog_format = 'ROW'");
  });
});
