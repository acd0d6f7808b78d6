import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/** The request and response classes of an application, as options of Node's `createServer`. */
export type Messages = ReturnType<typeof createMessages>;

/**
 * The classes that Node's HTTP server instantiates for requests and responses. Express replaces the prototype of every
 * message, which deoptimises the object in V8 and took half of the CPU time of a small request. Messages of these
 * classes have Express's prototypes from the start. This is only for speed.
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
