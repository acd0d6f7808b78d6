import type { Server, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import type { Compression } from '../response/compression.js';
import { Reply, writeReply } from '../response/reply.js';
import type { ServiceStatus } from '../service-status.js';
import type { KnownPaths } from './known-paths.js';

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

/**
 * An ExpressAdapter with three differences: it uses the given HTTP server; `writeReply` writes the results of handlers,
 * without Express's ETags and 304s and with `Connection: close` during shutdown; and it records the paths of
 * controllers as Nest registers them.
 */
export class JsonAdapter extends ExpressAdapter {
  constructor(
    express: Express,
    private readonly server: Server,
    paths: KnownPaths,
    private readonly service: ServiceStatus,
    private readonly compression?: Compression,
  ) {
    super(express);
    for (const method of METHODS)
      Object.assign(this, {
        [method]: (path: string, handler: RequestHandler) => {
          paths.add(method.toUpperCase(), path);
          return express[method](path, handler);
        },
      });
  }

  override initHttpServer(): void {
    this.httpServer = this.server;
  }

  override reply(response: ServerResponse, body: unknown): void {
    if (this.service.draining && !response.headersSent) response.setHeader('Connection', 'close');
    writeReply(response, Reply.of(body), this.compression);
  }
}
