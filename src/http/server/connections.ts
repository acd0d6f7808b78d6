import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Request } from 'express';
import { RequestContext } from '../request/request-context.js';

/** The memory that waiting requests may take on all connections: hardly any client sends one before it has a response. */
const MAX_WAITING_BYTES = 67_108_864;
let waitingBytes = 0;
const connections = new Set<Connection>();
// Node bounds a request that is arriving, but not all of them: those on the latest connections are given up.
setInterval(() => {
  let bytes = 0;
  for (const { socket, idleFrom, current } of connections) {
    const arrived = current ? 0 : socket.bytesRead - idleFrom;
    bytes += arrived;
    if (bytes > MAX_WAITING_BYTES && arrived > 0) socket.destroy();
  }
}, 100).unref();
/** What a request takes, and a name or value of a header, in addition to their characters. */
const REQUEST_BYTES = 2_200;
const HEADER_BYTES = 32;

/**
 * Runs the pipelined requests of a connection one after the other: a client that reads nothing takes the memory of one
 * response, and nothing else has begun when the connection closes, which Node tells only the first response.
 */
export class Connection {
  /** How many bytes had arrived by the end of the last request. */
  idleFrom = 0;
  current?: Request;
  private readonly waiting: ServerResponse[] = [];
  private latest?: ServerResponse;
  private end?: () => void;

  constructor(
    readonly socket: Socket,
    private readonly handle: RequestListener,
  ) {
    connections.add(this);
    // On CONNECT, Node detaches the socket, even while responses are being written to it: nobody else would listen.
    socket.on('error', () => socket.destroy()).on('timeout', () => socket.destroy());
    socket.once('close', () => {
      for (const { req } of this.waiting.splice(0)) waitingBytes -= bytesOf(req);
      this.end = undefined;
      this.current?.context.over();
      connections.delete(this);
    });
  }

  /** Runs the request of a response, or has it wait. */
  add(response: ServerResponse): void {
    if (this.end || this.socket.destroyed) return;
    if (!this.current) return this.begin(response);
    this.waiting.push(response);
    waitingBytes += bytesOf(response.req);
    this.current.context.onFollowed?.();
    // Pausing would not stop the parser within what has arrived, and would hide that a client is gone.
    if (waitingBytes > MAX_WAITING_BYTES) this.socket.destroy();
  }

  /** Calls `action` after the last response. A request that has not arrived completely is the one that failed. */
  finish(action: () => void): void {
    if (this.end || this.socket.destroyed) return;
    this.end = action;
    this.current?.context.onFollowed?.();
    if (this.waiting.at(-1)?.req.complete === false) waitingBytes -= bytesOf(this.waiting.pop()!.req);
    // It has its response already.
    else if (this.latest?.headersSent && !this.latest.req.complete) return void this.socket.destroySoon();
    if (!this.current?.complete) action();
  }

  private begin(response: ServerResponse): void {
    this.latest = response;
    const request = (this.current = response.req as Request);
    const context = (request.context = new RequestContext());
    context.isFollowed = () => this.end !== undefined || this.waiting.length > 0;
    response.on('close', () => context.over());
    context.whenOver(() => this.next());
    this.handle(request, response);
  }

  private next(): void {
    this.current = undefined;
    this.idleFrom = this.socket.bytesRead;
    // An idle connection should not keep its last request, whose body may have megabytes.
    if (this.latest?.req.complete) this.latest = undefined;
    const next = this.waiting.shift();
    if (!next) return this.end?.();
    waitingBytes -= bytesOf(next.req);
    this.begin(next);
  }
}

const bytesOf = ({ url, rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length + HEADER_BYTES, REQUEST_BYTES + url!.length);
