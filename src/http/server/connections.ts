import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { beginContext, type RequestContext } from '../request/request-context.js';

/** Requests that wait on a connection before it is read no further. */
const MAX_WAITING = 64;
/** How long a client may read nothing of an answer that is complete. */
const STALLED_READER_MS = 30_000;

type Exchange = [IncomingMessage, ServerResponse];

/**
 * The requests of one connection, answered one after the other. A client that sends many requests at once (pipelining) takes
 * the memory of one answer, and what it leaves unanswered ends with its connection: Node emits no event for a response that
 * was still waiting for its turn.
 */
class Connection {
  private readonly waiting: Exchange[] = [];
  private current?: { request: IncomingMessage; context: RequestContext };
  private onIdle?: () => void;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
  ) {
    socket.once('close', () => this.cut());
    // Of a CONNECT Node lets go of the socket at once, also while answers to earlier requests are written to it: an error
    // that nobody listens to would end the process.
    socket.on('error', () => socket.destroy());
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.onIdle) return;
    if (!this.current) return this.begin(request, response);
    this.waiting.push([request, response]);
    if (this.waiting.length >= MAX_WAITING) this.socket.pause();
  }

  /**
   * Calls `action` once what was asked before is answered; no request is taken any more. One that has not arrived completely
   * is what went wrong: it gets no other answer.
   */
  finish(action: () => void): void {
    if (this.onIdle) return;
    this.onIdle = action;
    if (this.waiting.at(-1)?.[0].complete === false) this.waiting.pop();
    if (!this.current || !this.current.request.complete) action();
  }

  private begin(request: IncomingMessage, response: ServerResponse): void {
    const context = beginContext(request, response);
    this.current = { request, context };
    context.whenAnswered(() => this.socket.setTimeout(STALLED_READER_MS));
    context.whenOver(() => this.next());
    this.handle(request, response);
  }

  private next(): void {
    this.current = undefined;
    const next = this.waiting.shift();
    if (next) {
      if (this.waiting.length < MAX_WAITING / 2 && this.socket.isPaused()) this.socket.resume();
      this.begin(...next);
    } else this.onIdle?.();
  }

  private cut(): void {
    this.waiting.length = 0;
    this.onIdle = () => undefined;
    this.current?.context.over();
  }
}

/** The connections of a server. */
export class Connections {
  private readonly bySocket = new WeakMap<Socket, Connection>();

  constructor(private readonly handle: RequestListener) {}

  readonly onRequest: RequestListener = (request, response) => this.of(request.socket).add(request, response);

  /** Calls `action` when all that was asked on the connection is answered; nothing more is read from it. */
  finish(socket: Socket, action: () => void): void {
    this.of(socket).finish(action);
  }

  private of(socket: Socket): Connection {
    const known = this.bySocket.get(socket);
    if (known) return known;
    const connection = new Connection(socket, this.handle);
    this.bySocket.set(socket, connection);
    return connection;
  }
}
