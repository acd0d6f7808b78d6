import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anArticle } from '../support/article.js';
import { basicAuthorization } from '../support/client.js';
import { send } from '../support/devices.js';
import { type Service, startService } from '../support/service.js';

const MEGABYTE = 2 ** 20;
const authorization = basicAuthorization('slow');
const article = anArticle();

let service: Service;
let sockets: Socket[];

beforeAll(async () => {
  service = await startService({ DATABASE_URL: 'sqlite::memory:' });
  for (let turn = 0; turn < 50; turn++) await send(service.url, 'warm', 'POST', '/articles', article);
  sockets = [];
});

afterAll(async () => {
  sockets.forEach((socket) => socket.destroy());
  await service.kill();
});

function residentBytes(): number {
  const status = readFileSync(`/proc/${service.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) * 1024;
}

function open(): Socket {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

async function readAll(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await Promise.race([new Promise((resolve) => socket.once('close', resolve)), sleep(30_000)]);
  return text;
}

it('serves others, for little memory, while 200 connections are idle or send slowly', async () => {
  const before = residentBytes();
  for (let turn = 0; turn < 200; turn++) {
    const socket = open();
    if (turn % 3 === 1) socket.write('GET /v2/articles HTTP/1.1\r\nHost: x\r\n');
    if (turn % 3 === 2)
      socket.write(
        `POST /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\nContent-Length: 500000\r\n\r\n{`,
      );
  }
  await sleep(500);
  const start = performance.now();
  for (let turn = 0; turn < 20; turn++) expect((await send(service.url, 'other', 'GET', '/articles')).status).toBe(200);
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(residentBytes() - before).toBeLessThan(50 * MEGABYTE);
});

it('cuts a client that never finishes its headers', async () => {
  const socket = open();
  socket.write('GET /v2/articles HTTP/1.1\r\nHost: x\r\n');
  const start = performance.now();
  expect(await readAll(socket)).toMatch(/^HTTP\/1.1 408 .*"errno":107/s);
  expect(performance.now() - start).toBeLessThan(20_000);
});

it('closes the connection of a stranger whose refused body never comes', async () => {
  const socket = open();
  const start = performance.now();
  socket.write('POST /v2/articles HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{');
  expect(await readAll(socket)).toMatch(/^HTTP\/1.1 401 .*"errno":104/s);
  expect(performance.now() - start).toBeLessThan(10_000);
});

/** As large as headers may be in all, on a request whose body never comes. */
const unfinished = (lines: string, version = '1.1'): string =>
  `POST /v2/articles HTTP/${version}\r\nHost: x\r\n${lines}Content-Length: 9\r\n${`a: ${'x'.repeat(600)}\r\n`.repeat(90)}\r\n`;

it('lets a user have 64 requests that wait for their bodies, refuses more, and serves others', async () => {
  const before = residentBytes();
  const statuses: string[] = [];
  for (let turn = 0; turn < 300; turn++)
    open()
      .once('data', (data: Buffer) => statuses.push(data.toString('latin1', 9, 12)))
      .write(unfinished(`Authorization: ${basicAuthorization('unfinished')}\r\n`));
  const whole = await send(service.url, 'unfinished', 'POST', '/articles', anArticle());
  expect(whole.status).toBe(201);
  await expect.poll(() => statuses.length, { timeout: 10_000 }).toBe(300 - 64);
  expect(new Set(statuses)).toEqual(new Set(['503']));
  expect((await send(service.url, 'other', 'POST', '/articles', anArticle())).status).toBe(201);
  expect(residentBytes() - before).toBeLessThan(80 * MEGABYTE);
});

it.each([
  ['bodies', unfinished('')],
  ['bodies, which the service shall continue,', unfinished('Expect: 100-continue\r\n')],
  ['bodies, of which something else is expected,', unfinished('Expect: something\r\n')],
  ['bodies, by HTTP/1.0,', unfinished('Connection: keep-alive\r\nExpect: 100-continue\r\n', '1.0')],
])('keeps few connections of strangers whose refused %s never come', async (_, bytes) => {
  let [responses, kept, most, closed] = [0, 0, 0, 0];
  for (let turn = 0; turn < 1_000; turn++) {
    const socket = open();
    socket.once('data', () => {
      responses++;
      most = Math.max(most, ++kept);
      socket.once('close', () => kept--);
    });
    socket.once('close', () => closed++);
    socket.write(bytes);
  }
  await expect.poll(() => closed, { timeout: 20_000 }).toBe(1_000);
  expect(responses).toBe(1_000);
  expect(most).toBeLessThan(600);
});

it.each([
  ['of a known length', (chunk: Buffer) => ({ head: `Content-Length: ${300 * MEGABYTE}`, chunk }), 413],
  [
    'in chunks',
    (chunk: Buffer) => ({
      head: 'Transfer-Encoding: chunked',
      chunk: Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    }),
    411,
  ],
] as const)('refuses a body of 300 MB %s without keeping it', async (_, framing, status) => {
  const before = residentBytes();
  const { head, chunk } = framing(Buffer.alloc(MEGABYTE, 0x61));
  const socket = open();
  let answer = '';
  socket.on('data', (data: Buffer) => (answer += data.toString()));
  socket.write(`POST /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n${head}\r\n\r\n`);
  let peak = 0;
  for (let sent = 0; sent < 300 && !socket.destroyed; sent++) {
    if (!socket.write(chunk)) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), sleep(200)]);
    peak = Math.max(peak, residentBytes() - before);
  }
  await expect.poll(() => answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(peak).toBeLessThan(150 * MEGABYTE);
  expect((await send(service.url, 'other', 'GET', '/articles')).status).toBe(200);
});
