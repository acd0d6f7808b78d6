import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import { basicAuthorization } from '../support/client.js';
import { fullState, send } from '../support/devices.js';
import { startHaproxy, type Haproxy } from '../support/servers/haproxy.js';
import { startMariaDb } from '../support/servers/mariadb.js';
import { type Service, startService } from '../support/service.js';
import { until } from '../support/waiting.js';

const authorization = basicAuthorization('slow');

describe('an instance that gets SIGTERM', () => {
  it('ends with status 0 at once when nobody is connected', async () => {
    const [alone, connected] = [1, 2].map(() => startService({ DATABASE_URL: 'sqlite::memory:' }));
    const { port } = new URL((await connected!).url);
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    const stop = async (service: Promise<Service>) => [await service, await (await service).stop()] as const;
    const others = stop(connected!);
    const [first, status] = await Promise.race([stop(alone!), others]);
    expect([first, status]).toEqual([await alone, 0]);
    expect((await others)[1]).toBe(0);
  });

  it('tells the load balancer, closes its connections and finishes what is in flight, whatever other signals come', async () => {
    const service = await startService({ DATABASE_URL: 'sqlite::memory:' });
    const { port } = new URL(service.url);
    const slow = connect(Number(port), '127.0.0.1');
    let received = '';
    slow.on('data', (chunk: Buffer) => (received += chunk.toString()));
    const body = JSON.stringify(anArticle());
    slow.write(
      `POST /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    // It has taken the connection when it has read the head.
    await expect.poll(() => received).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    received = '';
    const stopped = service.stop();
    const health = async () => {
      const { status, headers } = await fetch(`${service.url}/__lbheartbeat__`);
      return [status, headers.get('connection')];
    };
    await expect.poll(health).toEqual([503, 'close']);
    for (const signal of ['SIGHUP', 'SIGQUIT', 'SIGUSR2', 'SIGINT'] as const) service.process.kill(signal);
    slow.write(body);
    await once(slow, 'close');
    expect(received).toMatch(/^HTTP\/1.1 201 Created\r\n/);
    expect(received).toMatch(/\r\nConnection: close\r\n/);
    expect(await stopped).toBe(0);
  });

  it('cuts what a client never finishes and ends within ten seconds', async () => {
    const service = await startService({ DATABASE_URL: 'sqlite::memory:' });
    const { port } = new URL(service.url);
    const sockets = Array.from({ length: 20 }, () => connect(Number(port), '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', () => undefined);
      socket.write(
        `POST /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 99\r\n\r\n{`,
      );
    }
    await sleep(200);
    const start = performance.now();
    expect(await service.stop()).toBe(0);
    expect(performance.now() - start).toBeLessThan(10_000);
    sockets.forEach((socket) => socket.destroy());
  });
});

describe('instances behind HAProxy', () => {
  let server: Awaited<ReturnType<typeof startMariaDb>>;
  let services: Service[];
  let haproxy: Haproxy;
  let start: (port: number) => Promise<Service>;

  beforeAll(async () => {
    server = await startMariaDb({ durable: true });
    const DATABASE_URL = await server.createDatabase('reading_list');
    start = (port) => startService({ DATABASE_URL, MIGRATE_ON_START: 'true', PORT: String(port) });
    services = [await start(0), await start(0), await start(0)];
    haproxy = await startHaproxy({ backends: services.map(({ url }) => Number(new URL(url).port)) });
  });

  afterAll(async () => {
    await haproxy.remove();
    for (const service of services) await service.kill();
    await server.remove();
  });

  it('lose no request of a rolling restart under load', async () => {
    const user = randomUUID();
    const failures: string[] = [];
    const acknowledged: string[] = [];
    let running = true;
    const client = async () => {
      while (running) {
        const answer = await send(haproxy.url, user, 'POST', '/articles', anArticle()).catch((error: Error) => error);
        if (!(answer instanceof Error) && answer.status === 201) acknowledged.push(answer.body.id);
        else
          failures.push(
            answer instanceof Error
              ? ((answer.cause as Error | undefined)?.message ?? answer.message)
              : String(answer.status),
          );
      }
    };
    const clients = Array.from({ length: 12 }, client);
    for (const [at, service] of services.entries()) {
      await sleep(500);
      expect(await service.stop()).toBe(0);
      services[at] = await start(Number(new URL(service.url).port));
      await until(async () => (await haproxy.statisticsOf('app', `s${at + 1}`)).status === 'UP');
      await sleep(500);
    }
    await until(() => acknowledged.length > 100 || failures.length > 0);
    running = false;
    await Promise.all(clients);
    expect(failures).toEqual([]);
    expect(acknowledged.length).toBeGreaterThan(100);
    const truth = await fullState(haproxy.url, user);
    expect(acknowledged.filter((id) => !truth.has(id))).toEqual([]);
  });

  it('keep every acknowledged write when an instance is killed', async () => {
    const user = randomUUID();
    const acknowledged: string[] = [];
    let running = true;
    const client = async () => {
      while (running) {
        const answer = await send(haproxy.url, user, 'POST', '/articles', anArticle()).catch(() => undefined);
        if (answer?.status === 201) acknowledged.push(answer.body.id);
      }
    };
    const clients = Array.from({ length: 8 }, client);
    await until(() => acknowledged.length > 25);
    const { port } = new URL(services[0]!.url);
    await services[0]!.kill();
    await sleep(500);
    services[0] = await start(Number(port));
    await until(() => acknowledged.length > 50);
    running = false;
    await Promise.all(clients);
    const truth = await fullState(services[1]!.url, user);
    expect(acknowledged.length).toBeGreaterThan(50);
    expect(acknowledged.filter((id) => !truth.has(id))).toEqual([]);
  });
});
