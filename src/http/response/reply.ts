import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Timestamp } from '../../protocol/timestamp.js';
import { contextOf } from '../request/request-context.js';
import { endAfterBody, isArriving } from './linger.js';
import { atEndOfTurn } from '../server/end-of-turn.js';
import { type Compression, isWorthCompressing } from './compression.js';

/** Of all that is JSON. */
export const CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * An answer whose status or headers a handler decides. A handler that returns anything else answers 200 with it as JSON.
 * `body` undefined: no body (304). Text that is JSON already goes out as it is when wrapped in `RawJson`, and so do bytes, whose
 * `Content-Type` is among the headers.
 */
export class Reply {
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Of the record or collection that the answer is about. */
    readonly lastModified?: Timestamp,
  ) {}

  /** What a handler returned, as a reply. */
  static of(result: unknown): Reply {
    return result instanceof Reply ? result : new Reply(200, result);
  }

  /** The same with more headers. */
  with(headers: Readonly<Record<string, string>>): Reply {
    return new Reply(this.status, this.body, { ...this.headers, ...headers }, this.lastModified);
  }
}

/** A body that is serialised already. */
export class RawJson {
  constructor(readonly text: string) {}
}

/**
 * Writes an answer, as JSON unless it is bytes: nothing is decided about it here but whether it goes out compressed. The status
 * is written at once, though the answer goes out at the end of the turn, so that nobody can give a second one.
 */
export function writeReply(
  response: ServerResponse,
  { status, body, headers }: Reply,
  compression?: Compression,
): void {
  if (response.headersSent || response.destroyed) return;
  for (const name in headers) response.setHeader(name, headers[name]!);
  if (body === undefined) return send(response, status);
  if (Buffer.isBuffer(body)) return send(response.setHeader('Content-Length', body.length), status, body);
  const text = body instanceof RawJson ? body.text : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.setHeader('Content-Type', CONTENT_TYPE);
  if (compression && status < 400 && isWorthCompressing(length) && !contextOf(response)?.isBatchEntry) {
    response.setHeader('Vary', 'Accept-Encoding');
    const encoding = compression.encodingFor(response.req as Request, length);
    if (encoding) {
      response.setHeader('Content-Encoding', encoding);
      // The length would be known only after the work that HEAD is there to save.
      if (response.req.method === 'HEAD') return send(response, status);
      return void compression.compress(text, encoding).then((content) => {
        send(response.setHeader('Content-Length', content.length), status, content);
      });
    }
  }
  send(response.setHeader('Content-Length', length), status, text);
}

function send(response: ServerResponse, status: number, content?: string | Buffer): void {
  const context = contextOf(response);
  response.writeHead(status);
  if (isArriving(response.req)) endAfterBody(response, content);
  else if (context?.isBatchEntry) response.end(content);
  else end(response, content);
  context?.answered();
}

const end = atEndOfTurn((response: ServerResponse, content?: string | Buffer) => void response.end(content));
