import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METERED, samplesOf, scrape } from '../operations/scrape.js';
import { type Service, startService } from '../support/service.js';
import { ask, type Departure, DEPARTURES, figures, hitAndRun, idleFigures, SHAPES } from './hostile-client.js';

let service: Service;
let idle: Record<string, number>;

beforeAll(async () => {
  service = await startService({ ...METERED, DATABASE_URL: 'sqlite::memory:' });
  idle = await idleFigures(service);
});

afterAll(() => service.kill());

/** A device is served, and nothing is left of what went before. */
async function expectNothingLeft(): Promise<void> {
  expect(await ask(service)).toMatchObject({ status: 200 });
  await expect.poll(() => figures(service), { timeout: 15_000, interval: 50 }).toEqual(idle);
}

/** The same for many connections, as many at a time as a round takes. */
const ROUND = 50;
async function crowd(count: number, act: () => Promise<void>): Promise<void> {
  for (let done = 0; done < count; done += ROUND)
    await Promise.all(Array.from({ length: Math.min(ROUND, count - done) }, act));
}

describe('nothing is left of', () => {
  const shapes = Object.keys(SHAPES).flatMap((shape) => DEPARTURES.map((departure) => [shape, departure] as const));
  it.each(shapes)('%s sent by 50 clients that %s', async (shape, departure: Departure) => {
    await crowd(ROUND, () => hitAndRun(service, SHAPES[shape]!, departure));
    await expectNothingLeft();
  });

  it.each([
    [2, 'half-close', 1],
    [2, 'half-close', 0],
    [2, 'close', 3],
    [50, 'reset', 0],
    [200, 'reset', 0],
    [200, 'reset', 5],
    [200, 'close', 20],
    [1000, 'reset', 2],
    [1000, 'half-close', 0],
  ] as const)('%i pipelined requests of 12 clients that %s after %i ms', async (requests, departure, delayMs) => {
    for (const shape of ['a version', 'a list', 'an unknown path', 'a creation'])
      await crowd(12, () => hitAndRun(service, SHAPES[shape]!.repeat(requests), departure, { delayMs }));
    await expectNothingLeft();
  });
});

it.each(DEPARTURES)(
  'a tunnel behind requests that are being answered is survived (clients that %s)',
  async (departure) => {
    for (const shape of ['a list', 'a creation', 'a file of the documentation', 'a version'])
      for (const delayMs of [0, 1, 3, 10])
        await crowd(ROUND, () =>
          hitAndRun(service, SHAPES[shape]!.repeat(5) + SHAPES['a tunnel']!, departure, { delayMs }),
        );
    await expectNothingLeft();
  },
);

const poll = SHAPES['a list']!.replace('\r\n\r\n', '\r\nIf-Modified-Since: 9999999999999\r\nPrefer: wait=50\r\n\r\n');
const FOLLOWERS = {
  'a tunnel': SHAPES['a tunnel']!,
  'half a body': SHAPES['half a body']!,
  'a part of a large body': `${SHAPES['a creation']!.replace(/Content-Length: \d+/, 'Content-Length: 1000000')}${'x'.repeat(100_000)}`,
  'two polls and half a body': poll.repeat(2) + SHAPES['half a body']!,
};
it.each(
  Object.entries(FOLLOWERS).flatMap(([name, bytes]) =>
    (['reset', 'close', 'half-close'] as const).flatMap((departure) =>
      [0, 100].map((delayMs) => [name, departure, delayMs, bytes] as const),
    ),
  ),
)(
  '%s behind a poll that is held does not hide that its client is gone (clients that %s after %i ms)',
  async (_, departure, delayMs, bytes) => {
    await crowd(10, () => hitAndRun(service, poll + bytes, departure, { delayMs }));
    const held = async () => samplesOf(await scrape(service), 'reading_list_waiting_held').sum;
    await expect.poll(held, { timeout: 5_000 }).toBe(0);
    await expectNothingLeft();
  },
);

describe('everybody is served', () => {
  it('while 200 clients pipeline requests for the contract and read nothing', async () => {
    const contract = 'GET /v2/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n';
    const clients = crowd(200, () => hitAndRun(service, contract.repeat(30), 'stay', { delayMs: 4_000 }));
    await sleep(300);
    const start = performance.now();
    expect((await ask(service)).status).toBe(200);
    expect(performance.now() - start).toBeLessThan(3_000);
    await clients;
    await expectNothingLeft();
  });

  it('while 400 clients send their bodies slowly', async () => {
    const clients = crowd(400, () => hitAndRun(service, SHAPES['half a body']!, 'stay'));
    for (let turn = 0; turn < 5; turn++) expect((await ask(service)).status).toBe(200);
    await clients;
    await expectNothingLeft();
  });

  it('while a client pipelines without end and reads nothing', async () => {
    const clients = crowd(5, () => hitAndRun(service, SHAPES['a list']!.repeat(20_000), 'reset', { delayMs: 1_000 }));
    await sleep(300);
    expect((await ask(service)).status).toBe(200);
    await clients;
    await expectNothingLeft();
  });
});

it.each([
  [
    'thousands of pipelined requests on each of 100 connections',
    100,
    'GET /x HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_400),
  ],
  [
    'pipelined requests of many headers, behind responses that are not read, on each of 25 connections',
    25,
    'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3) +
      `GET /x HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(16_300)}\r\n`.repeat(40),
  ],
  [
    'headers without end on each of 200 connections',
    200,
    `GET /v2/articles HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(15_500)}`,
    50,
  ],
  [
    'as large headers as allowed without an end on each of 4,000 connections',
    4_000,
    `GET / HTTP/1.1\r\nHost: a\r\n${`a:${'a'.repeat(680)}\r\n`.repeat(90)}`,
    180,
  ],
])('%s take bounded memory', async (_what, connections, bytes, most = 400) => {
  const rss = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.process.pid}/status`, 'utf8'))![1]) / 1024;
  const before = rss();
  const { hostname, port } = new URL(service.url);
  const sockets: Socket[] = [];
  for (let at = 0; at < connections; at++) {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    sockets.push(socket.on('error', () => undefined).pause());
    if (at % 20 === 19) await sleep(30);
  }
  await sleep(2_000);
  expect(await ask(service)).toMatchObject({ status: 200 });
  expect(rss() - before).toBeLessThan(most);
  for (const socket of sockets) socket.destroy();
  await expectNothingLeft();
});

it('keeps few of 500 connections with requests that wait behind responses that are not read', async () => {
  const bytes = `${'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3)}${'GET /x HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(120)}`;
  const clients = Array.from({ length: 500 }, () => hitAndRun(service, bytes, 'stay', { delayMs: 8_000 }));
  await sleep(5_000);
  expect((await figures(service)).sockets).toBeLessThan(350);
  expect(await ask(service)).toMatchObject({ status: 200 });
  await Promise.all(clients);
  await expectNothingLeft();
});
