import { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';

/**
 * The classes of which Node's HTTP server is to make its requests and responses for this application. Express gives every
 * message the prototypes it wants, and a change of prototype makes V8 forget how to read the object fast, which was half of
 * the processor time of a small request. Messages of these classes have those prototypes from the beginning.
 */
export function expressMessages(express: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, express.request);
  Object.setPrototypeOf(ExpressResponse.prototype, express.response);
  express.request = ExpressRequest.prototype as Express['request'];
  express.response = ExpressResponse.prototype as unknown as Express['response'];
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
