import { createServer, type Server } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const TIMEOUT_MS = 180_000;

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
  let proxy: TcpProxy;
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
    proxy = await startTcpProxy(database.port);
    const via = ({ port }: TcpProxy) => list.replace(`:${database.port}/`, `:${port}/`);
    await start({ DATABASE_URL: via(proxy), DATABASE_POOL_SIZE: '2' });
    await start({ DATABASE_URL: list, OAUTH_URI: 'http://127.0.0.1:1' }, { clockSkewMs: 60_000 });
    const untrusted = `https://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    await start({ DATABASE_URL: 'sqlite::memory:', OAUTH_URI: untrusted, NODE_OPTIONS: `--import=${STALLING}` });
    breaking = await startTcpProxy(database.port);
    await start({ DATABASE_URL: via(breaking) });
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
    await proxy?.close();
    await breaking?.close();
    provider?.close();
    await Promise.all([database?.remove(), redis?.remove()]);
    scratch.remove();
  });

  const ask = (service: Service, authorization = `Basic ${Buffer.from('me:secret').toString('base64')}`) =>
    fetch(`${service.url}/v2/articles`, { headers: { authorization } }).then(
      (answer) => answer.text(),
      () => undefined,
    );
  /** Somebody else each time: one user alone does not wait for all connections. */
  const askAsAnyone = (service: Service) =>
    ask(service, `Basic ${Buffer.from(`${Math.random()}:secret`).toString('base64')}`);
  /** Repeats something until the end of the test. */
  const again = async (pauseMs: number, action: () => unknown): Promise<void> => {
    for (; !isOver; await sleep(pauseMs)) await action();
  };

  it('of a running system', { timeout: 2 * TIMEOUT_MS }, async () => {
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
    void again(1_000, () => ask(broken));
    for (let client = 0; client < 20; client++) void again(0, () => ask(cut));
    void again(50, () => breaking.cut());
    void again(200, () => ask(skewed, `Bearer ${Math.random()}`));
    void again(500, () => ask(stalled, `Bearer ${Math.random()}`));
    void again(0, async () => {
      proxy.delay(600);
      await Promise.all(Array.from({ length: 40 }, () => askAsAnyone(slow)));
      proxy.hang();
      const held = Promise.all(Array.from({ length: 450 }, () => askAsAnyone(slow)));
      await sleep(1_500);
      proxy.cut();
      await proxy.restore();
      await Promise.race([held, sleep(6_000)]);
    });
    await redis.kill();
    const wanted = NAMES.filter(
      (name) => !['ReadingListGone', 'ReadingListInstanceDown', 'ReadingListFewerInstances'].includes(name),
    );
    await until(() => wanted.every((name) => seen.has(name)), seen);
    await healthy.kill();
    await until(() => seen.has('ReadingListInstanceDown') && seen.has('ReadingListFewerInstances'), seen);
    prometheus.scrape([]);
    await until(() => seen.has('ReadingListGone'), seen);
    expect(await prometheus.brokenRules()).toEqual([]);
    expect([...seen].sort()).toEqual([...NAMES].sort());
  });

  async function until(isDone: () => boolean, seen: Set<string>): Promise<void> {
    for (const end = Date.now() + TIMEOUT_MS; !isDone(); await sleep(500)) {
      for (const name of await prometheus.firing()) seen.add(name);
      if (Date.now() > end) throw new Error(`did not fire: ${NAMES.filter((name) => !seen.has(name)).join(', ')}`);
    }
  }
});

const STALLING = join(import.meta.dirname, 'stalling.mjs');

it('every alert has its entry in the runbook', () => {
  for (const name of NAMES) expect(text('../docs/operations.md')).toContain(`#### ${name}`);
});
