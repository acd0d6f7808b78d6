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

/** A server whose connections are kept by `Connections`; returns a function that opens one. */
async function serve(handle: Handle): Promise<() => Socket> {
  const server = createServer(new Connections(handle).onRequest);
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
