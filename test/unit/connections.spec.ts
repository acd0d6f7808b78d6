import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Response } from 'express';
import { afterEach, expect, it } from 'vitest';
import { Settings } from '../../src/config/settings.js';
import { Connection } from '../../src/http/server/connections.js';
import { JsonAdapter } from '../../src/http/server/json.adapter.js';

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server that hands its requests to a `Connection` each; returns a function that opens one. */
async function serve(handle: Handle): Promise<() => Socket> {
  const connections = new WeakMap<Socket, Connection>();
  const server = createServer({ maxHeaderSize: 65_536 }, (request, response) =>
    connections.get(request.socket)!.add(response),
  );
  server.on('connection', (socket: Socket) => connections.set(socket, new Connection(socket, handle)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    closing.push(() => socket.destroy());
    return socket;
  };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

it.each([
  ['many small', get('/x').repeat(40_000)],
  ['some large', `GET /x HTTP/1.1\r\nHost: x\r\nY: ${'y'.repeat(60_000)}\r\n\r\n`.repeat(1_200)],
])('closes a connection on which too many requests wait, and only that: %s', async (_, bytes) => {
  const open = await serve((request, response) => {
    if (request.url === '/polite') setTimeout(() => response.end('served'), 50);
  });
  const greedy = open();
  const closed = new Promise((resolve) => greedy.once('close', resolve));
  greedy.write(bytes);
  await closed;
  let text = '';
  open()
    .on('data', (chunk: Buffer) => (text += chunk.toString()))
    .write(get('/polite').repeat(3));
  await expect.poll(() => text.match(/served/g)?.length).toBe(3);
});

/** What the server did about the one connection on which these bytes came, when it refused them. */
async function refusalOf(bytes: string): Promise<Socket> {
  let connection: Socket | undefined;
  const socket = await new Promise<Socket>((resolve) => {
    const adapter = new JsonAdapter(new Settings(), Date.now, () => resolve(connection!));
    adapter.use((_: unknown, response: Response) => void response.end('x'));
    adapter.initHttpServer();
    const server = adapter.getHttpServer();
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
  const socket = await refusalOf(bytes);
  expect(socket.timeout).toBe(10_000);
  socket.emit('timeout');
  expect(socket.destroyed).toBe(true);
});

it('closes the connection of a client that does not read its response', async () => {
  const sockets: Socket[] = [];
  const open = await serve((request, response) => {
    request.socket.setTimeout(100);
    sockets.push(request.socket);
    response.end(Buffer.alloc(64 * 1024 * 1024));
  });
  open().pause().write(get('/large'));
  await expect.poll(() => sockets[0]?.destroyed, { timeout: 10_000 }).toBe(true);
});

it('lets go of a request, whose body may have megabytes, once its response is complete and the connection idle', async () => {
  const bodies: WeakRef<object>[] = [];
  const open = await serve((request, response) => {
    const body = {};
    Object.assign(request, { body });
    bodies.push(new WeakRef(body));
    response.end('served');
  });
  const socket = open();
  const answered = new Promise((resolve) => socket.once('data', resolve));
  socket.write(get('/x'));
  await answered;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await expect.poll(() => (collect(), bodies[0]!.deref())).toBeUndefined();
  expect(socket.destroyed).toBe(false);
});
