import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { ApiError } from '../../protocol/api-error.js';
import { isContinue, MAX_HEADER_BYTES } from '../../protocol/request-headers.js';
import { alertHeader, baseHeaders } from '../../protocol/service-headers.js';
import { baseUrl } from '../../config/formats.js';
import type { Now } from '../../config/now.js';
import type { Settings } from '../../config/settings.js';
import { atEndOfTurn } from './end-of-turn.js';
import { createMessages } from './express-messages.js';
import { Connection } from './connections.js';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than a load balancer keeps connections alive, so that the service never closes one that is in use. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** How long a client may stop reading a response. */
const STALLED_READER_MS = 10_000;

/** The HTTP server with its time limits, and with our JSON errors for requests that Node cannot parse. */
export function createHttpServer(
  express: Express,
  settings: Pick<Settings, 'maxBodyBytes' | 'waitMaxSeconds' | 'endOfService' | 'documentationUrl'>,
  now: Now,
  onRefusal: (id: string, error: ApiError) => void,
): Server {
  const { maxBodyBytes, waitMaxSeconds, endOfService, documentationUrl } = settings;
  const connections = new WeakMap<Socket, Connection>();
  const server = createServer(
    {
      ...createMessages(express),
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: false,
    },
    ({ socket }, response) => connections.get(socket)!.add(response),
  );
  // Longer than a request may take to arrive or be held: this is for clients that stop reading.
  server.setTimeout(Math.max(REQUEST_TIMEOUT_MS, waitMaxSeconds * 1000) + STALLED_READER_MS);
  // Node would drop headers beyond its limit; `requireWellFormed` refuses the request.
  server.maxHeadersCount = 0;
  const handleTogether = atEndOfTurn<[IncomingMessage, ServerResponse]>(express);
  server.on('connection', (socket: Socket) => connections.set(socket, new Connection(socket, handleTogether)));
  const refuseLast = (socket: Socket, error: ApiError): void =>
    connections.get(socket)!.finish(() => {
      if (!socket.writable) return socket.destroySoon();
      const id = randomUUID();
      // There is no `Host` where no request was understood.
      const { localAddress = 'localhost', localPort = 0 } = socket;
      const documentation = documentationUrl ?? `${baseUrl(localAddress, localPort)}/docs`;
      const body = JSON.stringify(error.body(documentation));
      refuse(socket, id, error, body, endOfService && { Alert: alertHeader(endOfService, now()) });
      onRefusal(id, error);
    });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Thousands of clients may be gone at once.
    if (error.code === 'ECONNRESET') socket.destroy();
    else refuseLast(socket, clientError(error));
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) =>
    refuseLast(socket, new ApiError('methodNotAllowed', 'CONNECT: not allowed here', { Allow: 'GET, HEAD' })),
  );
  const handle = (request: IncomingMessage, response: ServerResponse) => server.emit('request', request, response);
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    const { expect = '', authorization, 'content-length': length = 0 } = request.headers;
    // Node also accepts it among other expectations, which nobody can meet.
    if (isContinue(expect) && authorization && Number(length) <= maxBodyBytes) response.writeContinue();
    handle(request, response);
  });
  // `requireWellFormed` refuses these.
  server.on('checkExpectation', handle);
  return server;
}

function clientError({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headersTooLarge', `The request line and headers are larger than ${MAX_HEADER_BYTES} bytes`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('requestTimeout', 'The request did not arrive in time');
  return new ApiError('invalidParameter', 'The request is not valid HTTP');
}

/** Writes the response to the bare socket and closes it. */
function refuse(socket: Socket, id: string, error: ApiError, body: string, alert?: { Alert: string }): void {
  const headers = {
    ...baseHeaders('', ''),
    ...alert,
    ...error.headers,
    'X-Request-Id': id,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.setTimeout(STALLED_READER_MS);
  socket.end(`HTTP/1.1 ${error.status} ${error.error}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
