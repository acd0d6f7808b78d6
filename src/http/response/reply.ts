import type { ServerResponse } from 'node:http';
import type { Request } from 'express';
import type { Timestamp } from '../../protocol/timestamp.js';
import { contextOf } from '../request/request-context.js';
import { endAfterBody, endForReader, isArriving } from './linger.js';
import { atEndOfTurn } from '../server/end-of-turn.js';
import { type Compression, isWorthCompressing } from './compression.js';

/** The content type of every JSON response. */
export const CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * A response whose status or headers a handler chooses; anything else that a handler returns is sent as JSON with 200.
 * A `body` of undefined means no body (304). `RawJson` is sent as it is, and so is a Buffer, whose `Content-Type` is
 * among the headers.
 */
export class Reply {
  constructor(
    readonly status: number,
    readonly body?: unknown,
    readonly headers: Readonly<Record<string, string>> = {},
    /** The timestamp of the record or collection in the response. */
    readonly lastModified?: Timestamp,
  ) {}

  /** The result of a handler as a reply. */
  static of(result: unknown): Reply {
    return result instanceof Reply ? result : new Reply(200, result);
  }

  with(headers: Readonly<Record<string, string>>): Reply {
    return new Reply(this.status, this.body, { ...this.headers, ...headers }, this.lastModified);
  }
}

/** A body that is already serialised. */
export class RawJson {
  constructor(readonly text: string) {}
}

/**
 * Writes a response, as JSON unless it is bytes; decides only whether to compress it. The status is written
 * immediately, so that nobody can respond twice, though the response is sent at the end of the turn.
 */
export function writeReply(
  response: ServerResponse,
  { status, body, headers }: Reply,
  compression?: Compression,
): void {
  if (response.headersSent || response.destroyed) return;
  for (const name in headers) response.setHeader(name, headers[name]!);
  if (body === undefined) {
    // Otherwise Node would send an empty redirection in chunks.
    if (status === 302) response.setHeader('Content-Length', 0);
    return send(response, status);
  }
  if (Buffer.isBuffer(body)) return send(response.setHeader('Content-Length', body.length), status, body);
  const text = body instanceof RawJson ? body.text : JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.setHeader('Content-Type', CONTENT_TYPE);
  if (compression && status < 400 && isWorthCompressing(length)) {
    response.setHeader('Vary', headers.Vary ? `${headers.Vary}, Accept-Encoding` : 'Accept-Encoding');
    // A batch is compressed as a whole.
    const encoding = contextOf(response)?.isBatchEntry
      ? undefined
      : compression.encodingFor(response.req as Request, length);
    if (encoding) {
      response.setHeader('Content-Encoding', encoding);
      // Finding the length would take the work that HEAD is meant to save.
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

const end = atEndOfTurn(endForReader);
