import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { createConnection } from 'mysql2/promise';
import { chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { chromiumArguments, ensureChromium } from '../support/servers/chromium.js';
import { type DatabaseServer, runSql } from '../support/servers/database-server.js';
import { findFreePort } from '../support/servers/free-port.js';
import { type GaleraCluster, startGalera } from '../support/servers/galera.js';
import { galeraBalancerConfig } from '../support/servers/haproxy-config.js';
import { startHaproxy } from '../support/servers/haproxy.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { startMysql } from '../support/servers/mysql.js';
import { startRedis } from '../support/servers/redis.js';
import { COMMIT_REQUEST, startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.js';

const startMinutesMs = 300_000;

describe.each([
  { kind: 'mariadb', start: startMariaDb, version: /MariaDB/ },
  { kind: 'mysql', start: startMysql, version: /^\d+\.\d+\.\d+(?!.*MariaDB)/ },
])('a $kind server', ({ kind, start, version }) => {
  let server: DatabaseServer;

  beforeAll(async () => {
    server = await start();
  }, startMinutesMs);
  afterAll(() => server.remove());

  it('is what it says it is', async () => {
    expect(server.kind).toBe(kind);
    const [row] = await runSql(server.url(), 'SELECT VERSION() AS version');
    expect(row?.['version']).toMatch(version);
  });

  it('gives an empty database in place of one with the same name', async () => {
    const url = await server.createDatabase('again');
    await runSql(url, 'CREATE TABLE t (a INT)');
    expect(await server.createDatabase('again')).toBe(url);
    expect(await runSql(url, 'SHOW TABLES')).toEqual([]);
  });

  it('keeps its port and its data when killed and started again', async () => {
    const url = await server.createDatabase('killed');
    await runSql(url, 'CREATE TABLE t (a INT)', 'INSERT INTO t VALUES (1)');
    await server.kill();
    expect(server.pid).toBeUndefined();
    await expect(runSql(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await runSql(url, 'SELECT a FROM t')).toEqual([{ a: 1 }]);
  });

  it('answers nothing while stopped by SIGSTOP and goes on after SIGCONT', async () => {
    const answer = runAfter(() => {
      server.signal('SIGSTOP');
      // The threads of a server do not all stop within the same millisecond.
      return silence(50);
    }, server.url());
    await expect(Promise.race([answer, silence(200)])).resolves.toBe('silence');
    server.signal('SIGCONT');
    expect(await answer).toEqual([{ one: 1 }]);
  });
});

it('a durable server writes every commit to the disk', async () => {
  const server = await startMariaDb({ durable: true });
  onTestFinished(() => server.remove());
  const [row] = await runSql(
    server.url(),
    'SELECT @@innodb_flush_log_at_trx_commit AS flush, @@innodb_flush_method AS method',
  );
  expect(row).toEqual({ flush: 1, method: 'O_DIRECT' });
});

it('a server that cannot start says why', async () => {
  await expect(startMariaDb({ extraFlags: ['--no-such-flag'] })).rejects.toThrow("unknown option '--no-such-flag'");
});

it(
  'a Redis forgets everything when killed and started again',
  async () => {
    const server = await startRedis();
    onTestFinished(() => server.remove());
    const client = new Redis(server.url, { retryStrategy: () => 20 });
    client.on('error', () => undefined);
    onTestFinished(() => client.disconnect());
    await client.set('a', '1');
    await server.kill();
    await server.start();
    expect(await client.ping()).toBe('PONG');
    expect(await client.get('a')).toBeNull();
  },
  startMinutesMs,
);

describe('a TCP proxy in front of a database', () => {
  let server: DatabaseServer;
  let proxy: TcpProxy;
  let url: string;

  beforeAll(async () => {
    server = await startMariaDb();
    await runSql(await server.createDatabase('proxied'), 'CREATE TABLE t (a INT)');
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    proxy = await startTcpProxy(server.port);
    url = `mysql://root@127.0.0.1:${proxy.port}/proxied`;
    await runSql(url, 'DELETE FROM t');
  });
  afterEach(() => proxy.close());

  it('refuses connections until restored', async () => {
    await proxy.refuse();
    await expect(runSql(url, 'SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await proxy.restore();
    expect(await runSql(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('cuts open connections and takes new ones', async () => {
    await expect(runAfter(() => proxy.cut(), url)).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await runSql(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expect.poll(() => proxy.connections).toBe(0);
  });

  it('hangs, then delivers what it held back', async () => {
    const answer = runAfter(() => proxy.hang(), url);
    await expect(Promise.race([answer, silence(200)])).resolves.toBe('silence');
    await proxy.restore();
    expect(await answer).toEqual([{ one: 1 }]);
  });

  it('delays both directions', async () => {
    const begin = performance.now();
    await runAfter(() => proxy.delay(60), url);
    expect(performance.now() - begin).toBeGreaterThan(115);
  });

  it('loses the answer to a COMMIT that the server has done', async () => {
    const cut = proxy.cutAfterRequest(COMMIT_REQUEST);
    const insert = runSql(url, 'START TRANSACTION', 'INSERT INTO t VALUES (1)', 'COMMIT');
    await expect(insert).rejects.toMatchObject({ code: 'ECONNRESET' });
    await cut;
    expect(await runSql(url, 'SELECT a FROM t')).toEqual([{ a: 1 }]);
  });

  it('loses a COMMIT before the server sees it', async () => {
    const cut = proxy.cutBeforeRequest(COMMIT_REQUEST);
    const insert = runSql(url, 'START TRANSACTION', 'INSERT INTO t VALUES (1)', 'COMMIT');
    await expect(insert).rejects.toMatchObject({ code: 'ECONNRESET' });
    await cut;
    expect(await runSql(url, 'SELECT a FROM t')).toEqual([]);
  });
});

describe('HAProxy', () => {
  it(
    'leaves out a backend that is down or fails its check, and takes it back',
    async () => {
      const [one, two] = [await startBackend('one'), await startBackend('two')];
      const balancer = await startHaproxy({ backends: [one.port, two.port] });
      onTestFinished(() => balancer.remove());
      const seen = async () =>
        new Set(await Promise.all([1, 2, 3, 4].map(async () => (await fetch(balancer.url)).text())));
      expect(await seen()).toEqual(new Set(['one', 'two']));
      one.healthy = false;
      await expect.poll(seen).toEqual(new Set(['two']));
      one.healthy = true;
      await expect.poll(seen).toEqual(new Set(['one', 'two']));
      await balancer.kill();
      await balancer.start();
      await two.close();
      expect(await seen()).toEqual(new Set(['one']));
    },
    startMinutesMs,
  );

  it('takes a new configuration and says what is wrong with a bad one', async () => {
    const [one, two] = [await startBackend('one'), await startBackend('two')];
    const balancer = await startHaproxy({ backends: [one.port] });
    onTestFinished(() => balancer.remove());
    await balancer.reload({ backends: [two.port] });
    expect(await (await fetch(balancer.url)).text()).toBe('two');
    await expect(balancer.reload('nonsense')).rejects.toThrow("unknown keyword 'nonsense'");
    expect(await (await fetch(balancer.url)).text()).toBe('two');
  });
});

describe('a Galera cluster', () => {
  let cluster: GaleraCluster;

  beforeAll(async () => {
    cluster = await startGalera(3);
  }, startMinutesMs);
  afterAll(() => cluster.stop());

  it('has on every node what was written to one', async () => {
    const [first, , third] = cluster.nodes as [DatabaseServer, DatabaseServer, DatabaseServer];
    await runSql(
      await first.createDatabase('shared'),
      'CREATE TABLE t (a INT PRIMARY KEY)',
      'INSERT INTO t VALUES (1)',
    );
    expect(await runSql(third.url('shared'), 'SET SESSION wsrep_sync_wait = 1', 'SELECT a FROM t')).toEqual([{ a: 1 }]);
  });

  it('goes on without its first node behind HAProxy, and the node catches up when it is back', async () => {
    const [first, second] = cluster.nodes as [DatabaseServer, DatabaseServer, DatabaseServer];
    await runSql(await first.createDatabase('failover'), 'CREATE TABLE t (a INT PRIMARY KEY)');
    const config = galeraBalancerConfig(
      cluster.nodes.map(({ port }) => port),
      await findFreePort(),
    );
    const balancer = await startHaproxy(config);
    onTestFinished(() => balancer.remove());
    const url = `mysql://root@127.0.0.1:${balancer.port}/failover`;
    const nodeInUse = async () => (await runSql(url, 'SELECT @@port AS port'))[0]?.['port'];
    expect(await nodeInUse()).toBe(first.port);
    await first.kill();
    await expect.poll(nodeInUse, { timeout: 10_000 }).toBe(second.port);
    await runSql(url, 'INSERT INTO t VALUES (1)');
    await first.start();
    expect(await runSql(first.url('failover'), 'SELECT a FROM t')).toEqual([{ a: 1 }]);
  });

  it('comes back with its data after all nodes were killed', async () => {
    const url = await (cluster.nodes[0] as DatabaseServer).createDatabase('crash');
    await runSql(url, 'CREATE TABLE t (a INT PRIMARY KEY)', 'INSERT INTO t VALUES (1)');
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await Promise.all(cluster.nodes.map((node) => node.start()));
    expect(await runSql(url, 'SELECT a FROM t')).toEqual([{ a: 1 }]);
  });
});

it(
  'Chromium shows a page',
  async () => {
    const browser = await chromium.launch({ executablePath: await ensureChromium(), args: [...chromiumArguments] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    await page.goto('data:text/html,<h1>hello</h1>');
    expect(await page.textContent('h1')).toBe('hello');
  },
  startMinutesMs,
);

it('no server and no data of the tests above is left', () => {
  const label = `reading-list-test-${process.pid}-`;
  const commandLines = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  expect(commandLines.filter((line) => line.includes(label))).toEqual([]);
  const folders = ['/dev/shm', tmpdir()].filter(existsSync).flatMap((folder) => readdirSync(folder));
  expect(folders.filter((name) => name.startsWith(label))).toEqual([]);
});

/** Connects, does something to the connection, and then selects 1 on it. */
async function runAfter(change: () => unknown, url: string): Promise<unknown> {
  const connection = await createConnection(url);
  connection.on('error', () => undefined);
  await change();
  try {
    const [rows] = await connection.query('SELECT 1 AS one');
    return rows;
  } finally {
    connection.destroy();
  }
}

function silence(milliseconds: number): Promise<string> {
  return new Promise((resolve) => setTimeout(() => resolve('silence'), milliseconds));
}

interface Backend {
  port: number;
  healthy: boolean;
  close(): Promise<void>;
}

async function startBackend(name: string): Promise<Backend> {
  const server: Server = createServer((request, response) => {
    response.statusCode = request.url === '/__lbheartbeat__' && !backend.healthy ? 503 : 200;
    response.end(name);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const backend: Backend = { port: (server.address() as AddressInfo).port, healthy: true, close };
  onTestFinished(close);
  return backend;
}
