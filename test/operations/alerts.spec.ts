import { createServer, type Server } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { basicAuthorization } from '../support/client.js';
import { createCertificate } from '../support/servers/certificate.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { type Prometheus, startPrometheus } from '../support/servers/prometheus.js';
import { startRedis } from '../support/servers/redis.js';
import { createScratchFolder } from '../support/servers/scratch-folder.js';
import { startTcpProxy, type TcpProxy } from '../support/servers/tcp-proxy.js';
import { type Service, startService } from '../support/service.js';
import { text, yaml } from './deployed-files.js';
import { METERED } from './scrape.js';

const GROUPS = yaml('prometheus/alerts.yaml').groups as { rules: { alert: string }[] }[];
const NAMES = GROUPS.flatMap(({ rules }) => rules.map(({ alert }) => alert));
const GONE = ['ReadingListGone', 'ReadingListInstanceDown', 'ReadingListFewerInstances'];
const TIMEOUT_MS = 90_000;

/** The rules as they are, but minutes and hours are seconds. */
const shortened = (rules: string): string =>
  rules
    .replace(/\[1d\]/g, '[10m]')
    .replace(/\[1h:1m\]/g, '[30s:1s]')
    .replace(/\[\d+m\]/g, '[10s]')
    .replace(/for: \d+[mh]/g, 'for: 1s')
    .replace('> 6 * 3600', '> 3');

const metricsOf = (service: Service): string => new URL(/metrics at (\S+)/.exec(service.output())![1]!).host;
const scratch = createScratchFolder();

describe('every alert fires in the fault that it is for', () => {
  let database: Awaited<ReturnType<typeof startMariaDb>>;
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let tables: Connection;
  let breaking: TcpProxy;
  let provider: Server;
  let prometheus: Prometheus;
  let isOver = false;
  const services: Service[] = [];
  const start = async (settings: Record<string, string>, options = {}): Promise<Service> => {
    const service = await startService({ ...METERED, ...settings }, options);
    services.push(service);
    return service;
  };

  beforeAll(async () => {
    [database, redis] = await Promise.all([startMariaDb(), startRedis()]);
    const list = await database.createDatabase('reading_list');
    const certificate = await createCertificate(scratch.path);
    const pem = readFileSync(certificate.bundle);
    provider = createServer({ cert: pem, key: pem }, (_, response) => response.end('{}'));
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    await start({ DATABASE_URL: list, MIGRATE_ON_START: 'true', REDIS_URL: redis.url });
    const locked = await database.createDatabase('locked');
    await start({ DATABASE_URL: locked, MIGRATE_ON_START: 'true', DATABASE_POOL_SIZE: '2' });
    tables = await createConnection(locked);
    await start({ DATABASE_URL: list, OAUTH_URI: 'http://127.0.0.1:1' }, { clockSkewMs: 60_000 });
    const untrusted = `https://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    await start({ DATABASE_URL: 'sqlite::memory:', OAUTH_URI: untrusted, NODE_OPTIONS: `--import=${STALLING}` });
    breaking = await startTcpProxy(database.port);
    await start({ DATABASE_URL: list.replace(`:${database.port}/`, `:${breaking.port}/`) });
    const broken = join(scratch.path, 'broken.sqlite');
    await start({ DATABASE_URL: `sqlite:${broken}`, TOMBSTONE_RETENTION_DAYS: '1' });
    const file = new Sqlite(broken);
    file.exec('ALTER TABLE articles RENAME COLUMN deleted TO gone');
    file.close();
    prometheus = await startPrometheus(services.map(metricsOf), shortened(text('prometheus/alerts.yaml')));
  });
  afterAll(async () => {
    isOver = true;
    await prometheus?.remove();
    for (const service of services) await service.kill();
    await tables?.end();
    await breaking?.close();
    provider?.close();
    await Promise.all([database?.remove(), redis?.remove()]);
    scratch.remove();
  });

  const ask = (service: Service, authorization = basicAuthorization('me')) =>
    fetch(`${service.url}/v2/articles`, { headers: { authorization } }).then(
      (answer) => answer.text(),
      () => undefined,
    );
  /** Somebody else each time: one user alone does not wait for all connections. */
  const askAsAnyone = (service: Service) => ask(service, basicAuthorization(`${Math.random()}`));
  /** Repeats something until the end of the test. */
  const again = async (pauseMs: number, action: () => unknown): Promise<void> => {
    for (; !isOver; await sleep(pauseMs)) await action();
  };

  it('of a running system', { timeout: 5 * TIMEOUT_MS }, async () => {
    const [healthy, slow, skewed, stalled, cut, broken] = services as [
      Service,
      Service,
      Service,
      Service,
      Service,
      Service,
    ];
    const seen = new Set<string>();
    // What is well at first: the alerts look for changes.
    await sleep(4_000);
    // By itself: the quick requests of the other faults would hide the slow ones, which the rules count together.
    await tables.query('LOCK TABLES accounts WRITE, articles WRITE');
    await duringRequests(slow, 40, () => until(['ReadingListSlow', 'ReadingListPoolExhausted'], seen));
    await duringRequests(slow, 450, () => until(['ReadingListRefusesRequests'], seen));
    await tables.query('UNLOCK TABLES');
    void again(1_000, () => ask(broken));
    for (let client = 0; client < 20; client++) void again(0, () => ask(cut));
    // So often that far more than one request in ten is retried, however fast the machine is.
    void again(10, () => breaking.cut());
    void again(200, () => ask(skewed, `Bearer ${Math.random()}`));
    void again(500, () => ask(stalled, `Bearer ${Math.random()}`));
    await redis.kill();
    await until(
      NAMES.filter((name) => !GONE.includes(name)),
      seen,
    );
    await healthy.kill();
    await until(['ReadingListInstanceDown', 'ReadingListFewerInstances'], seen);
    prometheus.scrape([]);
    await until(['ReadingListGone'], seen);
    expect(await prometheus.brokenRules()).toEqual([]);
    expect([...seen].sort()).toEqual([...NAMES].sort());
  });

  /** Waits for alerts while this many clients ask a service again and again. */
  async function duringRequests(service: Service, clients: number, wait: () => Promise<void>): Promise<void> {
    let isAwaited = true;
    const asking = Array.from({ length: clients }, async () => {
      while (isAwaited && !isOver) await askAsAnyone(service);
    });
    await wait();
    isAwaited = false;
    await Promise.all(asking);
  }

  async function until(wanted: string[], seen: Set<string>): Promise<void> {
    const missing = () => wanted.filter((name) => !seen.has(name));
    for (const end = Date.now() + TIMEOUT_MS; missing().length > 0; await sleep(500)) {
      for (const name of await prometheus.firing()) seen.add(name);
      if (Date.now() > end) throw new Error(`did not fire: ${missing().join(', ')}`);
    }
  }
});

const STALLING = join(import.meta.dirname, 'stalling.mjs');

it('every alert has its entry in the runbook', () => {
  for (const name of NAMES) expect(text('../docs/operations.md')).toContain(`#### ${name}`);
});
