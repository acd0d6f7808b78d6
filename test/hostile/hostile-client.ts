import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { basicAuthorization } from '../support/client.js';
import type { Service } from '../support/service.js';
import { samplesOf, scrape } from '../operations/scrape.js';

/** How a client goes away. */
export type Departure = 'reset' | 'close' | 'half-close' | 'stay';
export const DEPARTURES: readonly Departure[] = ['reset', 'close', 'half-close', 'stay'];

const basic = basicAuthorization('hostile');

/** The bytes of requests, whole ones and broken ones, to end points of every kind. */
export const SHAPES: Readonly<Record<string, string>> = {
  'a version': 'GET /v2/__version__ HTTP/1.1\r\nHost: x\r\n\r\n',
  'a health check': 'GET /__heartbeat__ HTTP/1.1\r\nHost: x\r\n\r\n',
  'a list without credentials': 'GET /v2/articles HTTP/1.1\r\nHost: x\r\n\r\n',
  'a list': `GET /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\n\r\n`,
  'a count': `HEAD /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\n\r\n`,
  'an unknown path': 'GET /v2/nowhere HTTP/1.1\r\nHost: x\r\n\r\n',
  'a redirect': 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
  'a file of the documentation': 'GET /docs/swagger-ui.css HTTP/1.1\r\nHost: x\r\n\r\n',
  'a creation': post('/v2/articles', '{"url":"https://example.com/hostile","title":"T","added_by":"x"}'),
  'a batch': post('/v2/batch', '{"requests":[{"method":"GET","path":"/articles"}]}'),
  'half a head': 'GET /v2/articles HTTP/1.1\r\nHost: x\r\nAuth',
  'half a body': post('/v2/articles', '{"url":"https://example.com/').replace(
    /Content-Length: \d+/,
    'Content-Length: 999',
  ),
  'a bad chunk': `POST /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
  'a body that is awaited': `POST /v2/articles HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n`,
  'an unknown expectation': 'GET /v2/__version__ HTTP/1.1\r\nHost: x\r\nExpect: the unexpected\r\n\r\n',
  'no HTTP': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  'a tunnel': 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n',
  'another protocol': 'GET /v2/articles HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n',
};

function post(path: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** A connection on which nothing is an error. */
export async function openConnection(service: Service): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  socket.on('error', () => undefined);
  await firstOf(socket, 'connect', 'close');
  return socket;
}

/** Like `once` of `node:events`, which would reject for the errors that are expected here. */
const firstOf = (socket: Socket, ...events: string[]): Promise<void> =>
  new Promise((resolve) => events.forEach((event) => socket.once(event, () => resolve())));

/** Sends bytes and goes away; resolves when it is gone, at the latest after a tenth of a second where it stays. */
export async function hitAndRun(
  service: Service,
  bytes: string,
  departure: Departure,
  { delayMs = 0, reads = false } = {},
): Promise<void> {
  const socket = await openConnection(service);
  if (reads) socket.resume();
  socket.write(bytes, 'latin1');
  if (delayMs > 0) await sleep(delayMs);
  if (departure === 'reset') socket.resetAndDestroy();
  else if (departure === 'close') socket.destroy();
  else if (departure === 'half-close') socket.end();
  if (departure === 'half-close' || departure === 'stay') await Promise.race([firstOf(socket, 'close'), sleep(100)]);
  socket.destroy();
}

/** The figures that have to come back to what they were, whatever strangers did. */
export async function figures(service: Service): Promise<Record<string, number>> {
  const samples = await scrape(service);
  const value = (name: string): number => samplesOf(samples, name).sum;
  return {
    inFlight: value('reading_list_requests_in_flight'),
    load: value('reading_list_load_state'),
    sessions: value('reading_list_database_connections_used'),
    waiting: value('reading_list_database_connections_waiting'),
    sockets: value('nodejs_active_resources{type="TCPSocketWrap"}'),
  };
}

/** The figures of a service that has served a device and has nothing else to do: what goes away by itself has gone. */
export async function idleFigures(service: Service): Promise<Record<string, number>> {
  await ask(service);
  for (let [before, same] = ['', 0]; ; await sleep(100)) {
    const found = await figures(service);
    const text = JSON.stringify(found);
    same = text === before ? same + 1 : 0;
    if (same === 5) return found;
    before = text;
  }
}

/** Asks as a well-behaved device does, on a connection of its own; the milliseconds it took, and the status. */
export async function ask(
  service: Service,
  path = '/v2/articles',
  authorization = basicAuthorization('device'),
): Promise<{ status: number; ms: number }> {
  const start = performance.now();
  const answer = await fetch(service.url + path, { headers: { authorization, connection: 'close' } });
  await answer.arrayBuffer();
  return { status: answer.status, ms: performance.now() - start };
}
