import { createConnection, type Connection } from 'mysql2/promise';
import { expect, it, onTestFinished } from 'vitest';
import { send } from '../support/devices.js';
import { runSql } from '../support/servers/database-server.js';
import { findFreePort } from '../support/servers/free-port.js';
import { type Haproxy, startHaproxy } from '../support/servers/haproxy.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { type Service, startService } from '../support/service.js';
import { until } from '../support/waiting.js';

const CONNECTIONS = 15;

/** Sends each request to the instance with the fewest, as deploy/haproxy.cfg does: the one that refuses fast would get most. */
const leastConnections = (port: number, ports: number[]): string => `defaults
  mode http
  timeout connect 1s
  timeout client 30s
  timeout server 30s
  timeout check 5s
  option redispatch 1
  retries 3

frontend http
  bind 127.0.0.1:${port}
  default_backend app

backend app
  balance leastconn
  option httpchk GET /__lbheartbeat__
  http-check expect status 200
  default-server inter 200ms fall 5 rise 1
${ports.map((at, index) => `  server s${index + 1} 127.0.0.1:${at} check`).join('\n')}
`;

/** What HAProxy thinks of a server, and how many requests it has sent there. */
async function stateOf(haproxy: Haproxy, server: string): Promise<{ status: string; requests: number }> {
  const { status, stot } = await haproxy.statisticsOf('app', server);
  return { status: status!, requests: Number(stot) };
}

/** Devices of one user after the other, four at a time; the statuses that were not 200. */
async function load(url: string, requests: number): Promise<number[]> {
  const statuses: number[] = [];
  const device = async (name: string) => {
    for (let at = 0; at < requests / 4; at++) statuses.push((await send(url, name, 'GET', '/articles')).status);
  };
  await Promise.all(['a', 'b', 'c', 'd'].map(device));
  return statuses.filter((status) => status !== 200);
}

/** Takes every connection that the server has left. */
async function takeConnections(databaseUrl: string): Promise<Connection[]> {
  const held: Connection[] = [];
  for (;;) {
    try {
      const connection = await createConnection(databaseUrl);
      connection.on('error', () => undefined);
      held.push(connection);
    } catch {
      return held;
    }
  }
}

it('an instance that starts without a connection to the database attracts no request until it has had one', async () => {
  const database = await startMariaDb();
  onTestFinished(() => database.remove());
  const settings = { DATABASE_URL: await database.createDatabase('reading_list'), DATABASE_POOL_SIZE: '2' };
  const ports = [await findFreePort(), await findFreePort()];
  const haproxy = await startHaproxy(leastConnections(await findFreePort(), ports));
  onTestFinished(() => haproxy.remove());
  const start = async (port: number, variables: Record<string, string>): Promise<Service> => {
    const service = await startService({ ...settings, PORT: String(port), ...variables });
    onTestFinished(() => service.kill());
    return service;
  };
  await start(ports[0]!, { MIGRATE_ON_START: 'true' });
  await until(async () => (await stateOf(haproxy, 's1')).status === 'UP');
  await until(async () => (await stateOf(haproxy, 's2')).status === 'DOWN');
  expect(await load(haproxy.url, 100)).toEqual([]);
  await runSql(database.url(), `SET GLOBAL max_connections = ${CONNECTIONS}`);
  const held = await takeConnections(settings.DATABASE_URL);
  onTestFinished(() => held.forEach((connection) => connection.destroy()));
  expect(held.length).toBeGreaterThan(3);

  const starting = await start(ports[1]!, {});
  // On a loaded machine a check now and then takes too long to have a code.
  await until(async () => (await haproxy.statisticsOf('app', 's2')).check_code === '503');
  expect((await fetch(`${starting.url}/__lbheartbeat__`)).status).toBe(503);
  const before = await stateOf(haproxy, 's2');
  expect(before.status).toMatch(/^DOWN/);
  expect(await load(haproxy.url, 200)).toEqual([]);
  expect(await stateOf(haproxy, 's2')).toEqual(before);

  for (const connection of held) connection.destroy();
  await until(async () => (await stateOf(haproxy, 's2')).status === 'UP');
  expect(await load(haproxy.url, 200)).toEqual([]);
  expect((await stateOf(haproxy, 's2')).requests).toBeGreaterThan(before.requests);
}, 90_000);
