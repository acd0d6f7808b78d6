import { connect, type Socket } from 'node:net';

/** The response to a request. */
export interface Outcome {
  status: number;
  milliseconds: number;
  /** Status line and headers. */
  head: string;
}

/** A shared read buffer: garbage collection in the client would show up as latency. */
const READING = Buffer.allocUnsafe(65_536);

/**
 * A keep-alive connection that sends prepared bytes and parses only as much of the responses as needed to find their
 * end, to cost little compared to the servers. One request at a time.
 */
export class LoadConnection {
  private readonly socket: Socket;
  private rest = 0;
  private partial?: Buffer;
  private sentAt = 0;
  private bodiless = false;
  private status = 0;
  private head = '';
  private pending?: { resolve: (outcome: Outcome) => void; reject: (error: Error) => void };

  constructor(readonly port: number) {
    const callback = (length: number) => (this.take(READING.subarray(0, length)), true);
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true, onread: { buffer: READING, callback } });
    this.socket.on('error', (error) => this.pending?.reject(error));
    this.socket.on('close', () => this.pending?.reject(new Error('the server closed the connection')));
  }

  /** Rejects when the connection breaks, or when the response has no length. */
  send(message: Buffer): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.pending = { resolve, reject };
      this.bodiless = message[0] === 0x48; // HEAD
      this.sentAt = performance.now();
      this.socket.write(message, (error) => error && reject(error));
    });
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    if (this.rest > 0) {
      this.rest -= chunk.length;
      if (this.rest === 0) this.finish();
      return;
    }
    if (this.partial) chunk = Buffer.concat([this.partial, chunk]);
    const at = chunk.indexOf('\r\n\r\n');
    this.partial = at < 0 ? Buffer.from(chunk) : undefined;
    if (at < 0) return;
    this.head = chunk.toString('latin1', 0, at);
    this.status = Number(this.head.slice(9, 12));
    if (!this.bodiless && this.status !== 304 && this.status !== 204) {
      const [, length] = /\r\ncontent-length: *(\d+)/i.exec(this.head) ?? [];
      if (length === undefined) return this.pending!.reject(new Error(`no Content-Length:\n${this.head}`));
      this.rest = Number(length) - (chunk.length - at - 4);
    }
    if (this.rest === 0) this.finish();
  }

  private finish(): void {
    if (!this.pending) throw new Error(`a response without a request:\n${this.head}`);
    const { resolve } = this.pending;
    this.pending = undefined;
    resolve({ status: this.status, milliseconds: performance.now() - this.sentAt, head: this.head });
  }
}
