import type { Server, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express } from 'express';
import type { ReplyWriter } from '../response/reply-writer.js';

/**
 * An ExpressAdapter with two differences: it uses the given HTTP server, and `replies` writes the results of handlers,
 * without Express's ETags and 304s.
 */
export class JsonAdapter extends ExpressAdapter {
  /** To be set before the first request. */
  replies!: ReplyWriter;

  constructor(
    express: Express,
    private readonly server: Server,
  ) {
    super(express);
  }

  override initHttpServer(): void {
    this.httpServer = this.server;
  }

  override reply(response: ServerResponse, body: unknown): void {
    this.replies.write(response, body);
  }
}
