import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { endForReader } from '../../src/http/response/linger.js';
import { Connections } from '../../src/http/server/connections.js';
import type { Messages } from '../../src/http/server/express-messages.js';
import { createHttpServer } from '../../src/http/server/http-server.js';
import type { ServiceStatus } from '../../src/http/service-status.js';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let received = 0;

/** A server whose connections are kept by `Connections`; returns a function that opens one. */
async function serve(handle: Handle): Promise<() => Socket> {
  const server = createServer({ maxHeaderSize: 65_536 }, new Connections(handle).onRequest);
  received = 0;
  server.on('request', () => received++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    closing.push(() => socket.destroy());
    return socket;
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

it('takes the time limit of a response that was read too slowly from the request behind it', async () => {
  let limit: number | undefined;
  const held = new Promise<IncomingMessage>((resolve) => {
    void serve((request, response) => {
      if (request.url === '/held') return resolve(request);
      endForReader(response, Buffer.alloc(64 * 1024 * 1024));
      limit = request.socket.timeout;
    }).then((open) =>
      open()
        .resume()
        .write(get('/large') + get('/held')),
    );
  });
  const { socket } = await held;
  expect(limit).toBe(30_000);
  expect(socket.timeout).toBe(0);
});

it('closes a connection of those with the most waiting requests when there are too many', async () => {
  const open = await serve((request, response) => {
    if (request.url === '/polite') setTimeout(() => response.end('served'), 50);
  });
  // With what a request takes besides, 64 KiB.
  const large = `GET /x HTTP/1.1\r\nHost: x\r\nY: ${'y'.repeat(63_328)}\r\n\r\n`;
  const greedy = Array.from({ length: 16 }, () => open());
  let closed = 0;
  for (const socket of greedy) socket.on('close', () => closed++).write(large.repeat(65));
  await expect.poll(() => received, { timeout: 10_000 }).toBe(16 * 65);
  const device = open();
  let text = '';
  device.on('data', (chunk: Buffer) => (text += chunk.toString())).write(get('/polite').repeat(3));
  await expect.poll(() => text.match(/served/g)?.length).toBe(3);
  await expect.poll(() => closed).toBe(1);
});

/** What the server did about the one connection on which these bytes came, when it refused them. */
async function refusalOf(bytes: string): Promise<Socket> {
  let connection: Socket | undefined;
  const socket = await new Promise<Socket>((resolve) => {
    const status = { current: () => ({}) } as ServiceStatus;
    const server = createHttpServer(
      (_, response) => response.end('x'),
      {} as Messages,
      status,
      100,
      () => resolve(connection!),
    );
    server.on('connection', (opened: Socket) => (connection = opened));
    closing.push(() => new Promise((closed) => server.close(closed)));
    server.listen(0, '127.0.0.1', () => {
      const client = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
      closing.push(() => client.destroy());
      client.pause().write(bytes);
    });
  });
  return socket;
}

it.each([
  ['a malformed request', 'BAD\r\n\r\n'],
  ['a malformed request behind another', `${get('/')}BAD\r\n\r\n`],
  ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a tunnel behind a request', `${get('/')}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`],
])('limits how long a client may take to read the refusal of %s', async (_, bytes) => {
  expect((await refusalOf(bytes)).timeout).toBe(30_000);
});

it('closes the connection of a client that does not read the response before a tunnel', async () => {
  const connections = new Connections((_, response) => endForReader(response, Buffer.alloc(64 * 1024 * 1024)));
  const server = createServer(connections.onRequest);
  const detached = new Promise<Socket>((resolve) =>
    server.on('connect', (_: IncomingMessage, socket: Socket) => {
      connections.finish(socket, () => undefined);
      resolve(socket);
    }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    .on('error', () => undefined)
    .pause();
  closing.push(() => client.destroy());
  client.write(`${get('/large')}CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
  const socket = await detached;
  expect(socket.timeout).toBe(30_000);
  socket.emit('timeout');
  expect(socket.destroyed).toBe(true);
});
