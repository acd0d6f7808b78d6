import type { Server, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, RequestHandler } from 'express';
import type { Compression } from '../response/compression.js';
import { Reply, writeReply } from '../response/reply.js';
import type { ServiceStatus } from '../service-status.js';
import type { KnownPaths } from './known-paths.js';

const VERBS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const;

/**
 * An ExpressAdapter with three differences: the HTTP server is the given one, results of handlers are written by `writeReply`,
 * without Express's own validators and 304s and with `Connection: close` while the instance shuts down, and the paths of controllers are noted as Nest registers them.
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
    for (const verb of VERBS)
      Object.assign(this, {
        [verb]: (path: string, handler: RequestHandler) => {
          paths.add(verb.toUpperCase(), path);
          return express[verb](path, handler);
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
