import type { Server, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import { RawJson, Reply } from './reply.js';

const CONTENT_TYPE = 'application/json; charset=utf-8';

/** Writes an answer as JSON: nothing is added to it, and nothing is decided about it here. */
export function writeReply(response: ServerResponse, { status, body, headers }: Reply): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  for (const name in headers) response.setHeader(name, headers[name]!);
  if (body === undefined) {
    response.end();
    return;
  }
  const text = body instanceof RawJson ? body.text : JSON.stringify(body);
  response.setHeader('Content-Type', CONTENT_TYPE);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.end(text);
}

/**
 * Express as Nest's platform, but for three things: the HTTP server is the given one, results of handlers go out through
 * `writeReply`, without Express's own validators and 304s, and what no route matches goes to `onUnmatched`.
 */
export class JsonAdapter extends ExpressAdapter {
  constructor(
    express: Express,
    private readonly server: Server,
    private readonly onUnmatched: RequestHandler,
  ) {
    super(express);
  }

  override initHttpServer(): void {
    this.httpServer = this.server;
  }

  override reply(response: ServerResponse, body: unknown): void {
    writeReply(response, body instanceof Reply ? body : new Reply(200, body));
  }

  override setNotFoundHandler(): void {
    this.use(this.onUnmatched);
  }
}
