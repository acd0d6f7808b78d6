import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The classes of the requests and responses that an application handles: options of Node's `createServer`. */
export type Messages = ReturnType<typeof createMessages>;

/**
 * The classes of which Node's HTTP server makes requests and responses. Express gives every message the prototypes it wants, and
 * a change of prototype makes V8 forget how to read the object fast, which was half of the processor time of a small request:
 * messages of these classes have those prototypes from the beginning. Nothing but speed rests on it.
 */
export function createMessages(express: Express) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, express.request);
  Object.setPrototypeOf(Response.prototype, express.response);
  express.request = Request.prototype as Express['request'];
  express.response = Response.prototype as unknown as Express['response'];
  return { IncomingMessage: Request, ServerResponse: Response };
}
