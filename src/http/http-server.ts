import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../protocol/api-error.js';
import type { ErrorName } from '../protocol/errno.js';
import { baseHeaders, statusHeaders } from '../protocol/service-headers.js';
import { atEndOfTurn } from './end-of-turn.js';
import type { Pipeline } from './pipeline.js';
import { Reply, writeReply } from './reply.js';
import type { ServiceStatus } from './service-status.js';

/** Page positions of long texts travel in the address. */
const MAX_HEADER_BYTES = 65_536;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than a load balancer keeps its connections, so that it is never the service that closes one in use. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;

/** The HTTP server with its time limits, and with our JSON errors for requests that never become requests. */
export function createHttpServer(pipeline: Pipeline, status: ServiceStatus, maxBodyBytes: number): Server {
  const server = createServer(
    {
      ...pipeline.messages,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: false,
    },
    atEndOfTurn(pipeline.handle as unknown as RequestListener),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    refuse(socket, clientError(error), status),
  );
  server.on('connect', (_request: IncomingMessage, socket: Socket) =>
    refuse(socket, new ApiError('methodNotAllowed', 'CONNECT: not allowed here', { Allow: 'GET, HEAD' }), status),
  );
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    if (Number(request.headers['content-length'] ?? 0) <= maxBodyBytes && request.headers.authorization)
      response.writeContinue();
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const error = new ApiError('expectationFailed', 'Expect: only 100-continue is known');
    writeReply(response, new Reply(error.status, error.body(), error.headers));
  });
  return server;
}

const CLIENT_ERRORS: Readonly<Record<string, [ErrorName, string]>> = {
  HPE_HEADER_OVERFLOW: ['headersTooLarge', `The request line and headers are larger than ${MAX_HEADER_BYTES} bytes`],
  ERR_HTTP_REQUEST_TIMEOUT: ['requestTimeout', 'The request did not arrive in time'],
};

function clientError({ code }: NodeJS.ErrnoException): ApiError {
  const [kind, message] = CLIENT_ERRORS[code ?? ''] ?? ['invalidParameter', 'The request is not valid HTTP'];
  return new ApiError(kind, message);
}

/** Answers on the bare socket and closes it. */
function refuse(socket: Socket, error: ApiError, status: ServiceStatus): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify(error.body());
  const headers = {
    ...baseHeaders('', ''),
    ...statusHeaders(error.status, status.current()),
    ...error.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${error.status} ${error.error}\r\n${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
