import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { endForReader } from '../../src/http/response/linger.js';
import { Connections } from '../../src/http/server/connections.js';

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
