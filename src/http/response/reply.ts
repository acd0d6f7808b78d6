import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Settings } from '../../config/settings.js';
import type { Timestamp } from '../../protocol/timestamp.js';
import { baseHeaders } from '../../protocol/service-headers.js';
import { ServiceStatus } from '../service-status.js';
import { pathOf } from '../request/request-url.js';
import { atEndOfTurn } from '../server/end-of-turn.js';
import { Compression, isWorthCompressing } from './compression.js';

/** How long a client may keep sending an unwanted body. */
const LINGER_MS = 1_000;
/** The content type of every JSON response. */
export const CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * A response whose status or headers a handler chooses; anything else that a handler returns is sent as JSON with 200.
 * A `body` of undefined means no body (304). A string is JSON already, and a Buffer has its `Content-Type` among the headers.
 */
export class Reply {
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The timestamp of the record or collection in the response. */
    readonly lastModified?: Timestamp,
  ) {}

  with(headers: Readonly<Record<string, string>>): Reply {
    return new Reply(this.status, this.body, { ...this.headers, ...headers }, this.lastModified);
  }
}

/** The headers of a reply, names and values alternately: Node writes such a list faster than headers that are set singly. */
function headOf(response: Response, { headers }: Reply): string[] {
  const head: string[] = [];
  const { context, method, url } = response.req;
  const base = baseHeaders(method, pathOf(url));
  for (const name in base) if (headers[name] === undefined) head.push(name, base[name]!);
  head.push('X-Request-Id', context.id);
  for (const name in headers) head.push(name, headers[name]!);
  return head;
}

/** Adds a name to the `Vary` header. */
function vary(head: string[], name: string): void {
  const at = head.indexOf('Vary');
  if (at < 0) head.push('Vary', name);
  else head[at + 1] += `, ${name}`;
}

function sendWhole(response: Response, status: number, head: string[], content: string | Buffer): void {
  head.push('Content-Length', String(Buffer.byteLength(content)));
  send(response, status, head, content);
}

function send(response: Response, status: number, head: string[], content?: string | Buffer): void {
  const { context } = response.req;
  response.writeHead(status, head);
  if (isArriving(response.req)) endAfterBody(response, content);
  else if (context.isBatchEntry) response.end(content);
  else end(response, content);
  context.answered(content?.length);
}

const end = atEndOfTurn((response: Response, content?: string | Buffer) => response.end(content));

/** True while the body of a request is still arriving and does not wait for `100 Continue`. */
const isArriving = ({ complete, destroyed, headers }: Request): boolean =>
  !complete && !destroyed && headers.expect === undefined;

/**
 * Sends the whole response, and ends it once the request's body has arrived or a second has passed. Closing the
 * connection earlier would make the operating system reset it, and the client might never read the response.
 */
function endAfterBody(response: Response, content?: string | Buffer): void {
  const { req: request } = response;
  if (content === undefined || request.method === 'HEAD') response.flushHeaders();
  else response.write(content);
  const end = (): void => {
    clearTimeout(limit);
    response.end();
  };
  const limit = setTimeout(end, LINGER_MS);
  request.once('end', end).once('close', end).resume();
}

/** Writes what handlers return and what the error filter makes of an error. */
@Injectable()
export class ReplyWriter {
  private readonly compression = new Compression();

  constructor(
    private readonly settings: Settings,
    private readonly status: ServiceStatus,
  ) {}

  /**
   * Writes a response with the headers of every response, as JSON unless it is bytes, compressed if that is worth it. The
   * head is written immediately, so that nobody can respond twice, though the response is sent at the end of the turn.
   */
  write(response: Response, reply: Reply): void {
    if (response.headersSent || response.destroyed) return;
    if (this.status.draining) response.setHeader('Connection', 'close');
    const { status, body } = reply;
    const head = headOf(response, reply);
    if (body === undefined) {
      // Otherwise Node would send an empty redirection in chunks.
      if (status === 302) head.push('Content-Length', '0');
      return send(response, status, head);
    }
    const content = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const length = Buffer.byteLength(content);
    const contentType = reply.headers['Content-Type'] ?? CONTENT_TYPE;
    if (!Buffer.isBuffer(body)) head.push('Content-Type', CONTENT_TYPE);
    if (this.settings.compressionEnabled && status < 400 && isWorthCompressing(length, contentType)) {
      vary(head, 'Accept-Encoding');
      // A batch is compressed as a whole.
      const encoding = response.req.context.isBatchEntry ? undefined : this.compression.encodingFor(response.req);
      if (encoding) {
        const encoded = [...head, 'Content-Encoding', encoding];
        // Finding the length would take the work that HEAD is meant to save.
        if (response.req.method === 'HEAD') return send(response, status, encoded);
        return void this.compression.compress(content, encoding).then(
          (compressed) => sendWhole(response, status, encoded, compressed),
          () => sendWhole(response, status, head, content),
        );
      }
    }
    head.push('Content-Length', String(length));
    send(response, status, head, content);
  }
}
