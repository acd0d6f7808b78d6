import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Response } from 'express';
import type { Now } from '../../config/now.js';
import type { Settings } from '../../config/settings.js';
import type { ApiError } from '../../protocol/api-error.js';
import type { Reply, ReplyWriter } from '../response/reply.js';
import { createHttpServer } from '../server/http-server.js';

/** An ExpressAdapter with our HTTP server, in which `replies` writes the results of handlers. */
export class JsonAdapter extends ExpressAdapter {
  /** To be set before the first request. */
  replies!: ReplyWriter;

  /** @param onRefusal called for a request that Node cannot parse, with the id of its response */
  constructor(
    private readonly settings: Settings,
    private readonly now: Now,
    private readonly onRefusal: (id: string, error: ApiError) => void,
  ) {
    super(createExpress(settings));
  }

  override initHttpServer(): void {
    this.httpServer = createHttpServer(this.getInstance<Express>(), this.settings, this.now, this.onRefusal);
  }

  override reply(response: Response, reply: Reply): void {
    this.replies.write(response, reply);
  }
}

/** Paths match exactly; Express adds no headers or ETags of its own. */
function createExpress(settings: Settings): Express {
  const router = express();
  router.set('case sensitive routing', true).set('strict routing', true);
  router.set('etag', false).disable('x-powered-by');
  if (settings.trustProxy !== undefined) router.set('trust proxy', settings.trustProxy);
  return router;
}
