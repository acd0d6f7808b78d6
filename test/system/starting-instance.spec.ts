import { createConnection, type Connection } from 'mysql2/promise';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { findFreePort } from '../support/servers/free-port.js';
import { type Haproxy, startHaproxy } from '../support/servers/haproxy.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { type Service, startService } from '../support/service.js';
import { until } from '../support/waiting.js';

const CONNECTIONS = 15;

let database: Awaited<ReturnType<typeof startMariaDb>>;
let haproxy: Haproxy;
let settings: Record<string, string>;
const services: Service[] = [];
const held: Connection[] = [];

beforeAll(async () => {
  database = await startMariaDb();
  settings = { DATABASE_URL: await database.createDatabase('reading_list'), DATABASE_POOL_SIZE: '2' };
  const ports = [await findFreePort(), await findFreePort()];
  haproxy = await startHaproxy(leastConnections(await findFreePort(), ports));
  services.push(await startService({ ...settings, PORT: String(ports[0]), MIGRATE_ON_START: 'true' }));
  settings.PORT = String(ports[1]);
  await until(async () => (await stateOf('s1')).status === 'UP');
});
afterAll(async () => {
  for (const connection of held) connection.destroy();
  for (const service of services) await service.kill();
  await haproxy?.remove();
  await database.remove();
});

/** Sends each request to the instance with the fewest, as deploy/haproxy.cfg does: the one that refuses fast would get most. */
const leastConnections = (port: number, ports: number[]): string => `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout check 1s
  option redispatch 1
  retries 3

frontend http
  bind 127.0.0.1:${port}
  default_backend app

backend app
  balance leastconn
  option httpchk GET /__lbheartbeat__
  http-check expect status 200
  default-server inter 200ms fall 2 rise 1
${ports.map((at, index) => `  server s${index + 1} 127.0.0.1:${at} check`).join('\n')}
`;

/** What HAProxy thinks of a server, and how many requests it has sent there. */
async function stateOf(server: string): Promise<{ status: string; requests: number; checked: string }> {
  const [head, ...lines] = (await haproxy.command('show stat')).replace(/^# /, '').trim().split('\n');
  const names = head!.split(',');
  const row = lines.map((line) => line.split(',')).find(([proxy, name]) => proxy === 'app' && name === server)!;
  const value = (name: string) => row[names.indexOf(name)]!;
  return { status: value('status'), requests: Number(value('stot')), checked: value('check_code') };
}

/** Devices of one user after the other, four at a time; the statuses that were not 200. */
async function load(requests: number): Promise<number[]> {
  const statuses: number[] = [];
  const device = async (name: string) => {
    for (let at = 0; at < requests / 4; at++) statuses.push((await send(haproxy.url, name, 'GET', '/articles')).status);
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(device));
  return statuses.filter((status) => status !== 200);
}

/** Takes every connection that the server has left. */
async function takeConnections(): Promise<void> {
  await runSql(database.url(), `SET GLOBAL max_connections = ${CONNECTIONS}`);
  for (;;) {
    try {
      const connection = await createConnection(settings.DATABASE_URL!);
      connection.on('error', () => undefined);
      held.push(connection);
    } catch {
      return;
    }
  }
}

it('an instance that starts without a connection to the database attracts no request until it has had one', async () => {
  expect(await load(100)).toEqual([]);
  await takeConnections();
  expect(held.length).toBeGreaterThan(3);

  services.push(await startService(settings));
  await until(async () => (await stateOf('s2')).checked === '503');
  expect((await fetch(`${services[1]!.url}/__lbheartbeat__`)).status).toBe(503);
  const before = await stateOf('s2');
  expect(before.status).toMatch(/^DOWN/);
  expect(await load(200)).toEqual([]);
  // Not its last check, too: on a loaded machine one may have taken too long to have a code.
  expect(await stateOf('s2')).toMatchObject({ status: before.status, requests: before.requests });

  for (const connection of held.splice(0)) connection.destroy();
  await until(async () => (await stateOf('s2')).status === 'UP');
  expect(await load(200)).toEqual([]);
  expect((await stateOf('s2')).requests).toBeGreaterThan(before.requests);
}, 90_000);
