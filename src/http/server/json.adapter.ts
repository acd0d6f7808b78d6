import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import { baseUrl } from '../../config/formats.js';
import type { Now } from '../../config/now.js';
import type { Settings } from '../../config/settings.js';
import { ApiError } from '../../protocol/api-error.js';
import { MAX_HEADER_BYTES, MAX_HEADERS } from '../../protocol/request-headers.js';
import { alertHeader, baseHeaders } from '../../protocol/service-headers.js';
import { CONTENT_TYPE, LateReply, type Reply, writeReply } from '../response/reply.js';
import { Connection } from './connections.js';
import { atEndOfTurn } from './end-of-turn.js';
import { createMessages } from './express-messages.js';

const REQUEST_TIMEOUT_MS = 60_000;
const STALLED_READER_MS = 10_000;

/** An ExpressAdapter with time limits, JSON errors for what Node cannot parse, and handlers that return a `Reply`. */
export class JsonAdapter extends ExpressAdapter {
  private readonly connections = new WeakMap<Socket, Connection>();

  /** @param onRefusal called for a request that Node cannot parse, with the id of its response */
  constructor(
    private readonly settings: Settings,
    private readonly now: Now,
    private readonly onRefusal: (id: string, error: ApiError) => void,
  ) {
    super(createExpress(settings));
  }

  override reply(response: Response, reply: Reply | LateReply): unknown {
    if (reply instanceof LateReply) return reply.reply().then((late) => this.reply(response, late));
    return writeReply(response, reply, this.settings.compressionEnabled);
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    const server = createServer(
      {
        ...createMessages(app),
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 10_000,
        requestTimeout: REQUEST_TIMEOUT_MS,
        // Longer than a load balancer keeps connections alive, so that the service never closes one that is in use.
        keepAliveTimeout: 75_000,
        connectionsCheckingInterval: 2_000,
        requireHostHeader: false,
      },
      ({ socket }, response) => this.connections.get(socket)!.add(response),
    );
    // Longer than a request may take to arrive or be held: this is for clients that stop reading.
    server.setTimeout(Math.max(REQUEST_TIMEOUT_MS, this.settings.waitMaxSeconds * 1000) + STALLED_READER_MS);
    // Node drops those beyond its limit; `requireWellFormed` refuses a request that has so many.
    server.maxHeadersCount = MAX_HEADERS + 1;
    const handleTogether = atEndOfTurn<[IncomingMessage, ServerResponse]>(app);
    server.on('connection', (socket: Socket) => this.connections.set(socket, new Connection(socket, handleTogether)));
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      // Thousands of clients may be gone at once.
      if (error.code === 'ECONNRESET') socket.destroy();
      else this.refuse(socket, clientError(error));
    });
    server.on('connect', (_request: IncomingMessage, socket: Socket) => {
      // Nobody else reads what follows, or would notice that the client of an earlier request is gone.
      socket.resume().once('end', () => socket.destroy());
      this.refuse(socket, new ApiError('methodNotAllowed', 'CONNECT: not allowed here', { Allow: 'GET, HEAD' }));
    });
    const handle = (request: IncomingMessage, response: ServerResponse) => server.emit('request', request, response);
    // The client is told to continue when the body is read; `requireWellFormed` refuses other expectations.
    server.on('checkContinue', handle).on('checkExpectation', handle);
    this.httpServer = server;
  }

  /** Writes an error to the bare socket, after the responses that are due on it, and closes it. */
  private refuse(socket: Socket, error: ApiError): void {
    this.connections.get(socket)!.finish(() => {
      if (!socket.writable) return socket.destroySoon();
      const { documentationUrl, endOfService } = this.settings;
      // There is no `Host` where no request was understood.
      const { localAddress = 'localhost', localPort = 0 } = socket;
      const body = JSON.stringify(error.body(documentationUrl ?? `${baseUrl(localAddress, localPort)}/docs`));
      const id = randomUUID();
      const headers = {
        ...baseHeaders('', ''),
        ...(endOfService && { Alert: alertHeader(endOfService, this.now()) }),
        ...error.headers,
        'X-Request-Id': id,
        'Content-Type': CONTENT_TYPE,
        'Content-Length': Buffer.byteLength(body),
        Connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.setTimeout(STALLED_READER_MS);
      socket.end(`HTTP/1.1 ${error.status} ${error.error}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
      this.onRefusal(id, error);
    });
  }
}

/** Paths match exactly; Express adds no headers or ETags of its own. */
function createExpress({ trustProxy = false }: Settings): Express {
  const app = express().set('case sensitive routing', true).set('strict routing', true);
  return app.set('etag', false).disable('x-powered-by').set('trust proxy', trustProxy);
}

function clientError({ code }: NodeJS.ErrnoException): ApiError {
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError('headersTooLarge', `The request line and headers are larger than ${MAX_HEADER_BYTES} bytes`);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new ApiError('requestTimeout', 'The request did not arrive in time');
  return new ApiError('invalidParameter', 'The request is not valid HTTP');
}
