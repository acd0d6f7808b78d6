import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { givenDeployment, NotHere } from '../support/deployment/deployment.js';
import { isRefused, MAX_REPEATS, noteWaitingTime, requestTurn } from '../support/deployment/pace.js';
import { noteUse } from '../support/deployment/users.js';

/** An answer as it came over the wire; header names in lower case. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const TIMEOUT_MS = 10_000;

/** Sends one well-formed request on a connection of its own, of which every header and the path stand as given. */
export async function exchange(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body?: string | Buffer,
): Promise<Answer> {
  for (let repeats = 0; ; repeats++) {
    const answer = await exchangeOnce(new URL(url), { method, path, headers }, body);
    if (repeats === MAX_REPEATS || !isRefused(answer.status)) return answer;
  }
}

async function exchangeOnce(
  { protocol, hostname, port }: URL,
  message: { method: string; path: string; headers: Record<string, string> },
  body?: string | Buffer,
): Promise<Answer> {
  await requestTurn();
  noteUse(message.headers.Authorization);
  const { request } = protocol === 'https:' ? https : http;
  const sent = request({ hostname, port, ...message, agent: false, timeout: TIMEOUT_MS, maxHeaderSize: 2 ** 17 });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage];
  noteWaitingTime(response.headers);
  // The service may close the connection while the rest of a body, which it does not want, is being sent.
  sent.on('error', () => undefined);
  const pairs = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return { status: response.statusCode!, headers: Object.fromEntries(pairs), body: await text(response) };
}

/** Opens a connection for bytes that no HTTP client would send. */
export async function openSocket(url: string): Promise<Socket> {
  if (givenDeployment()?.hostile === false) throw new NotHere('sends bytes that are not valid HTTP: needs --hostile');
  const { protocol, hostname, port } = new URL(url);
  await requestTurn();
  const isTls = protocol === 'https:';
  const socket = isTls
    ? tls.connect({ port: Number(port || 443), host: hostname, servername: net.isIP(hostname) ? '' : hostname })
    : net.connect(Number(port || 80), hostname);
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no answer in time')));
  await once(socket, isTls ? 'secureConnect' : 'connect');
  return socket;
}

/** Sends bytes as they are and reads everything until the service closes the connection. */
export async function sendBytes(url: string, bytes: string | Buffer): Promise<string> {
  const socket = await openSocket(url);
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => (received += chunk));
  socket.on('error', () => undefined);
  socket.write(bytes);
  await new Promise((resolve) => socket.once('close', resolve));
  return received;
}

/** Sends bytes as they are and reads the first answer; they have to make the service close the connection. */
export async function exchangeBytes(url: string, bytes: string | Buffer): Promise<Answer> {
  return parseAnswer(await sendBytes(url, bytes));
}

/** The first answer in what was received. */
export function parseAnswer(received: string): Answer {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`no HTTP answer: ${JSON.stringify(received.slice(0, 200))}`);
  const [statusLine, ...lines] = received.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  ) as Record<string, string>;
  const length = headers['content-length'] === undefined ? undefined : Number(headers['content-length']);
  const body = Buffer.from(received.slice(end + 4), 'latin1').subarray(0, length);
  return { status: Number(statusLine!.split(' ')[1]), headers, body: body.toString() };
}
