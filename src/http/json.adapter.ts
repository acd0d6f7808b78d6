import type { Server, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import type { Pipeline } from './pipeline.js';
import { Reply, writeReply } from './reply.js';

/**
 * Express as Nest's platform, but for four things: the HTTP server is the given one, the pipeline is told about every route,
 * results of handlers go out through `writeReply`, without Express's own validators and 304s, and what no route matches goes
 * to `onUnmatched`.
 */
export class JsonAdapter extends ExpressAdapter {
  constructor(
    express: Express,
    readonly pipeline: Pipeline,
    private readonly server: Server,
    private readonly onUnmatched: RequestHandler,
  ) {
    super(express);
    for (const method of ['get', 'head', 'post', 'put', 'patch', 'delete'] as const)
      Object.assign(this, {
        [method]: (path: string, handler: RequestHandler) => {
          pipeline.add(method.toUpperCase(), path, handler);
          return express[method](path, handler);
        },
      });
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
