import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { beginContext, type RequestContext } from '../request/request-context.js';

/** The memory that the waiting requests of all connections may take; a short request takes some two kilobytes. */
const MAX_WAITING_BYTES = 67_108_864;
const REQUEST_BYTES = 2_200;
/** What a name or value of a header takes in addition to its characters. */
const HEADER_BYTES = 32;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  bytes: number;
}

/** What the waiting requests of all connections take. */
class Backlog {
  private bytes = 0;
  private readonly shares = new Map<Connection, number>();

  /** Counts a waiting request. When that is too much, the connections with the most are closed, whoever sent the last one. */
  add(connection: Connection, bytes: number): void {
    this.change(connection, bytes);
    // Pausing would not stop the parser within what has arrived, and would hide that a client is gone.
    while (this.bytes > MAX_WAITING_BYTES) this.largest().close();
  }

  remove(connection: Connection, bytes: number): void {
    this.change(connection, -bytes);
  }

  private change(connection: Connection, bytes: number): void {
    const share = (this.shares.get(connection) ?? 0) + bytes;
    if (share > 0) this.shares.set(connection, share);
    else this.shares.delete(connection);
    this.bytes += bytes;
  }

  private largest(): Connection {
    return [...this.shares].reduce((most, other) => (other[1] > most[1] ? other : most))[0];
  }
}

/**
 * The requests of one connection, processed one after the other. A client that pipelines many requests takes the memory
 * of only one response, and its pending requests end with the connection: Node emits no event for a response that was
 * still queued.
 */
class Connection {
  private readonly waiting: Exchange[] = [];
  private current?: { request: IncomingMessage; context: RequestContext };
  private onIdle?: () => void;

  constructor(
    private readonly socket: Socket,
    private readonly handle: RequestListener,
    private readonly backlog: Backlog,
  ) {
    socket.once('close', () => this.cut());
    // On CONNECT, Node detaches the socket at once, even while earlier responses are being written to it: an unhandled
    // error would end the process.
    socket.on('error', () => socket.destroy());
  }

  add(request: IncomingMessage, response: ServerResponse): void {
    if (this.onIdle) return;
    if (!this.current) return this.begin(request, response);
    const bytes = bytesOf(request);
    this.waiting.push({ request, response, bytes });
    this.backlog.add(this, bytes);
  }

  /** Closes the connection; nothing that waits is processed. */
  close(): void {
    this.cut();
    this.socket.destroy();
  }

  /**
   * Calls `action` once all earlier requests have their responses; accepts no more requests. A request that has not
   * arrived completely is the one that failed, and gets no other response.
   */
  finish(action: () => void): void {
    if (this.onIdle) return;
    this.onIdle = action;
    // On CONNECT, Node no longer ends the socket of a client that does not read an earlier response.
    this.socket.on('timeout', () => this.socket.destroy());
    if (this.waiting.at(-1)?.request.complete === false) this.backlog.remove(this, this.waiting.pop()!.bytes);
    if (!this.current || !this.current.request.complete) action();
  }

  private begin(request: IncomingMessage, response: ServerResponse): void {
    const context = beginContext(request, response);
    this.current = { request, context };
    context.whenOver(() => this.next());
    this.handle(request, response);
  }

  private next(): void {
    this.current = undefined;
    const next = this.waiting.shift();
    if (next) {
      this.backlog.remove(this, next.bytes);
      // That of the response before, if it was read slowly: Node ends it only where no request waits.
      this.socket.setTimeout(0);
      this.begin(next.request, next.response);
    } else this.onIdle?.();
  }

  private cut(): void {
    for (const { bytes } of this.waiting.splice(0)) this.backlog.remove(this, bytes);
    this.onIdle = () => undefined;
    this.current?.context.over();
  }
}

const bytesOf = ({ url, rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((bytes, text) => bytes + text.length + HEADER_BYTES, REQUEST_BYTES + url!.length);

/** The connections of a server. */
export class Connections {
  private readonly backlog = new Backlog();
  private readonly bySocket = new WeakMap<Socket, Connection>();

  constructor(private readonly handle: RequestListener) {}

  readonly onRequest: RequestListener = (request, response) => this.of(request.socket).add(request, response);

  /** Calls `action` once every request on the connection has its response; reads nothing more from it. */
  finish(socket: Socket, action: () => void): void {
    this.of(socket).finish(action);
  }

  private of(socket: Socket): Connection {
    const known = this.bySocket.get(socket);
    if (known) return known;
    const connection = new Connection(socket, this.handle, this.backlog);
    this.bySocket.set(socket, connection);
    return connection;
  }
}
